#!/usr/bin/env node
import module from 'node:module';

// Startup is dominated by compilation: from Node 22.8 on, V8 keeps what it compiled for the next start.
(module as { readonly enableCompileCache?: () => unknown }).enableCompileCache?.();
await import('./main.ts');
