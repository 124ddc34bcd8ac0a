/** The arguments of a call, as people read JSON; what is not JSON is shown as it is. */
export function formatArguments(given: string): string {
  try {
    return JSON.stringify(JSON.parse(given), undefined, 2);
  } catch {
    return given;
  }
}
