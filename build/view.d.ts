import type { Metafile } from 'esbuild';

/** The whole page of the view, bundled from src/views, and what its script is made of. */
export function buildView(): Promise<{ readonly page: string; readonly metafile: Metafile }>;
