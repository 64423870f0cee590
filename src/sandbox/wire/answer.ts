import type { Fields, Rows } from './tree.ts';

/** What a request comes to, whatever its format. The five kinds of success are the `reply` of an endpoint. */
export type Answer =
  | { readonly kind: 'rows'; readonly rows: Rows }
  | { readonly kind: 'reports'; readonly reports: Fields }
  | { readonly kind: 'groups'; readonly groups: Fields }
  | { readonly kind: 'id'; readonly id: string }
  | { readonly kind: 'ok' }
  | { readonly kind: 'error'; readonly reason: ErrorReason; readonly message: string };

/**
 * Why nothing was done. On the tracker's own wire all are the same kind of body; installations that answer with HTTP status
 * codes tell them apart.
 */
export type ErrorReason =
  | 'no-key'
  | 'no-access'
  | 'invalid'
  | 'unknown-record'
  | 'unknown-path'
  | 'wrong-method'
  | 'too-large'
  | 'defect';
