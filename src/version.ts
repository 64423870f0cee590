import manifest from '../package.json' with { type: 'json' };

export const version: string = manifest.version;

const repository = manifest.repository.url.replace(/^git\+|\.git$/g, '');
const files = repository.replace('//github.com/', '//raw.githubusercontent.com/');

/** What the server tells of itself. The icon is an address, not data: in the newer protocol every result carries it. */
export const identity = {
  version,
  websiteUrl: manifest.homepage,
  icons: [{ src: `${files}/main/docs/images/icon.png`, mimeType: 'image/png', sizes: ['512x512'] }],
};

export const privacyUrl = `${repository}/blob/main/docs/privacy.md`;
