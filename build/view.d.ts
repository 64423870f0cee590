/** The whole page of the view, bundled from src/views. */
export function buildView(): Promise<string>;
