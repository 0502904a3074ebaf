const answerWithinMs = 2_000;

/** Whether a service says of itself that it makes progress. */
export async function isServiceReady(managementAddress: string): Promise<boolean> {
  try {
    const answer = await fetch(`${managementAddress}/health/ready`, {
      headers: { connection: 'close' },
      signal: AbortSignal.timeout(answerWithinMs),
    });
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    return false;
  }
}
