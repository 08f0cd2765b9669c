import { seenBy, type VisibleRows } from '../../ports/access.ts'
import type { Narrowing } from '../../ports/store.ts'

/** What narrows tokens to those that a caller sees: of principals that are at home at its scopes, and its own. */
export const seenTokens = (visible: VisibleRows, caller: string): Narrowing =>
  visible === 'everything' ? {} : [seenBy(visible, 'home_id'), { principal_id: caller }]
