type Close = () => unknown;

const closings: Close[] = [];

/** Closes something when the tests of the file are done: what was opened last is closed first. */
export function closeAfterTests(close: Close): void {
  closings.push(close);
}

export async function closeAll(): Promise<void> {
  for (const close of closings.splice(0).reverse()) await close();
}
