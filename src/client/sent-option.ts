/** Option of a dispatched request: called when its first byte is about to go out on a connected socket. */
export const onSent = Symbol('on sent');

export type SentOption = { readonly [onSent]?: () => void };
