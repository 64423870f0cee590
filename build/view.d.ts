import type { Metafile } from 'esbuild';

/** The page of the view, bundled from src/views, and esbuild's metafile of its script. */
export function buildView(): Promise<{ readonly page: string; readonly metafile: Metafile }>;
