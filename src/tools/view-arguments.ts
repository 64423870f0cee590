import * as z from 'zod';
import * as is from '../api/parameters.ts';
import { maxNameLength } from '../api/text/clean-text.ts';
import { whereArgument } from './present/where.ts';

/** The arguments of every tool that returns tables: which columns and rows of them, in which order. */
export const viewArguments = {
  columns: z.array(z.string().max(maxNameLength)).min(1).max(100).describe('Names or token labels').optional(),
  where: whereArgument.optional(),
  sort_by: z.string().max(maxNameLength).describe('Column').optional(),
  sort_order: is.oneOf(['asc', 'desc'], 'Default desc').default('desc'),
  limit: is.whole(1, 500, 'Rows, 1 to 500; default 25').default(25),
  offset: is.whole(0, 1_000_000_000, 'Default 0').default(0),
};
