/** Jest calls it once, after the last test of the tier, whether the tests passed or not. */
export default async function stopInfrastructure() {
  await globalThis.compassoInfrastructure?.stop();
}
