/** What is true and what to do about it: `decide` never changes anything, `evolve` never refuses anything. */
export interface Decider<State, Command, Event> {
  readonly initial: State;
  readonly decide: (command: Command, state: State) => readonly Event[];
  readonly evolve: (state: State, event: Event) => State;
}

export const evolveAll = <State, Event>(
  evolve: (state: State, event: Event) => State,
  state: State,
  events: readonly Event[],
): State => events.reduce(evolve, state);
