import { LabelledValues, labelledValuesMax } from './labelled-values.ts';

const counts = () => new LabelledValues(['topic', 'verdict'], () => ({ total: 0 }));
const shown = (values: ReturnType<typeof counts>) =>
  values.all().map(({ labels, value }) => [labels['topic'], labels['verdict'], value.total]);

describe('values by their labels', () => {
  it('are found whatever the order of the labels, and told apart', () => {
    const values = counts();
    values.of({ topic: 'a', verdict: 'b' }).total += 1;
    values.of({ verdict: 'b', topic: 'a' }).total += 1;
    values.of({ topic: 'ab', verdict: '' }).total += 1;
    values.of({ topic: '', verdict: 'ab' }).total += 1;
    expect(shown(values)).toEqual([
      ['a', 'b', 2],
      ['ab', '', 1],
      ['', 'ab', 1],
    ]);
  });

  it('are not without end', () => {
    const values = counts();
    for (let topic = 0; topic < labelledValuesMax + 5; topic += 1)
      values.of({ topic: String(topic), verdict: 'x' }).total += 1;
    expect(values.all()).toHaveLength(labelledValuesMax + 1);
    expect(shown(values).at(-1)).toEqual(['other', 'other', 5]);
  });
});
