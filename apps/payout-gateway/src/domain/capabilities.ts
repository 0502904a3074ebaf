// What a provider's answers are worth. Decisions rest on these, never on a provider's name.

export interface Capabilities {
  /** How long a repeat under the same id finds the first order. 0: a repeat pays again, so nothing is sent twice. */
  readonly idempotencyMemoryMs: number;
  /** Whether a call that was refused for good leaves no order behind that somebody could still approve. */
  readonly refusedCallLeavesNothing: boolean;
  /** Whether an order can be asked for by our own id. */
  readonly queryableById: boolean;
  /** How long after a call "not found" may only mean "not visible yet". */
  readonly notFoundGraceMs: number;
  /** Whether answers about an order show its amount, which is then compared with ours. */
  readonly showsAmount: boolean;
  /** Whether answers about an order show its destination, masked as we mask it. */
  readonly showsDestination: boolean;
}
