/** Where progress goes: one sentence a call, for a person who waits. */
export type Log = (sentence: string) => void;

export const silentLog: Log = () => {};
