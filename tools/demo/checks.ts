// Collects what is not as it should be: a story is told to its end even when its first look is wrong.
export class Checks {
  readonly complaints: string[] = [];

  holds(condition: boolean, complaint: string): void {
    if (!condition) this.complaints.push(complaint);
  }

  /** What cannot even be looked at is a complaint as well. */
  async attempt(look: () => Promise<void>): Promise<void> {
    try {
      await look();
    } catch (error) {
      this.complaints.push(error instanceof Error ? error.message : String(error));
    }
  }

  equal(what: string, actual: unknown, expected: unknown): void {
    const [found, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
    if (found !== wanted) this.complaints.push(`${what}: ${found}, not ${wanted}`);
  }
}
