import { javaVersionIn, majorOf } from './java.ts';

describe('the version of Java', () => {
  it.each([
    ['openjdk version "17.0.15" 2025-04-15', '17.0.15', 17],
    ['java version "1.8.0_392"', '1.8.0_392', 8],
    ['openjdk version "25" 2025-09-16', '25', 25],
    ['openjdk version "22-ea" 2024-03-19', '22-ea', 22],
  ])('is read from %s', (output, version, major) => {
    expect(javaVersionIn(output)).toBe(version);
    expect(majorOf(version)).toBe(major);
  });

  it('is unknown when there is no Java', () => {
    expect(javaVersionIn('sh: java: not found')).toBeUndefined();
  });
});
