import { endings } from './axes.ts';
import { demoOptions } from './demo-options.ts';
import type { Story } from './story.ts';

const story = (name: string): Story => ({
  name,
  ends: endings.completed,
  play: async () => ({ transferIds: [], complaints: [] }),
});
const known = [story('happy'), story('same-key')];
const namesFor = (...given: string[]) => demoOptions(given, known).stories.map(({ name }) => name);

describe('the options of the demo', () => {
  it('are all stories, in words, and nothing left running, unless said otherwise', () => {
    const { json, keep, transfersPerKill } = demoOptions([], known);
    expect({ json, keep, transfersPerKill }).toEqual({ json: false, keep: false, transfersPerKill: 40 });
    expect(namesFor()).toEqual(['happy', 'same-key']);
  });

  it('choose stories by name', () => {
    expect(namesFor('--story', 'same-key')).toEqual(['same-key']);
  });

  it.each([
    ['a story that nobody knows', ['--story', 'unhappy'], /there is no story "unhappy".*happy, same-key/],
    ['too few transfers to have twenty in flight', ['--transfers', '5'], /from 24 to 2000/],
    ['a number that is none', ['--transfers', 'many'], /not many/],
  ])('refuse %s', (_, given, sentence) => {
    expect(() => demoOptions(given, known)).toThrow(sentence);
  });
});
