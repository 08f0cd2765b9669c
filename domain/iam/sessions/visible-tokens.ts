import { seenBy, type VisibleRows } from '../../ports/access.ts'
import type { Narrowing } from '../../ports/store.ts'

/**
 * Returns the filter for the tokens that a caller may see: the caller's own tokens, and the tokens of principals whose
 * home is at one of the visible scopes.
 */
export const seenTokens = (visible: VisibleRows, caller: string): Narrowing =>
  visible === 'everything' ? {} : [seenBy(visible, 'home_id'), { principal_id: caller }]
