import type { Metafile } from 'esbuild';

/** The whole page of the view, bundled from src/views. */
export function buildView(): Promise<string>;

/** The page, and what its script is made of. */
export function bundleView(): Promise<{ readonly page: string; readonly metafile: Metafile }>;
