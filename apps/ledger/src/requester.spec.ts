import { clientCode, teamCode } from './requester.ts';

it.each(['shop', 'checkout-app', 'a.b_c', 'x'.repeat(56)])('keeps a plain name: %s', (name) => {
  expect(clientCode(name)).toBe(`client.${name}`);
  expect(teamCode(name)).toBe(`team.${name}`);
});

it.each(['Ana Souza', 'ana@example.com', 'x'.repeat(57), 'a\0b', 'ç', ''])(
  'makes a code of any other subject: %j',
  (name) => {
    expect(clientCode(name)).toMatch(/^client\.[A-Za-z0-9_-]{43}$/);
    expect(clientCode(name)).not.toBe(clientCode(`${name}.`));
  },
);
