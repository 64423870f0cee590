import type { Metafile } from 'esbuild';

export interface BundledPackage {
  /** Name and version, such as `zod@4.6.7`. */
  readonly id: string;
  /** Its licence as its package.json names it. */
  readonly license: string;
  /** The text of its licence and notices; where the package brings none, who holds the rights. */
  readonly text: string;
}

/**
 * The packages that bundles are made of, by ID.
 *
 * @throws where a package names no licence, since nobody may pass it on then
 */
export function bundledPackages(metafiles: readonly Metafile[]): Promise<BundledPackage[]>;

/** One text with every licence; packages that have the same share it. */
export function renderLicenses(packages: readonly BundledPackage[]): string;
