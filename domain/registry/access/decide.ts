import type { CallContext } from '../../../runtime/context.ts'
import type { Authorizer } from '../../ports/access.ts'
import type { Reader } from '../../ports/store.ts'
import type { Taxonomy } from '../../ports/taxonomy.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { grantCollection } from '../grants/grants-store.ts'
import { isActive } from '../values/expiry.ts'
import { matches, type RegistryAction } from './compiled-rules.ts'
import type { PolicyPlace, PolicyRules } from './policy-rules.ts'

/** The permission of IAM for each action. */
export const permissionOf = {
  PULL: 'registry.artifacts.pull',
  PUSH: 'registry.artifacts.push',
  DELETE: 'registry.artifacts.delete',
  SCAN: 'registry.scans.create',
} as const satisfies Record<RegistryAction, string>

/** The parts that decide about access. */
export interface AccessParts {
  readonly access: Pick<Authorizer, 'holds'>
  readonly taxonomy: Pick<Taxonomy, 'effectiveState'>
  readonly policies: PolicyRules
}

/** A call of an OCI client. */
export interface AccessQuestion {
  /** The context of the call, with the principal that its token proves; without a principal, the caller is anonymous. */
  readonly context: CallContext
  /** The repository; with an empty id, the workspace and engine, for which only rules and grants of all repositories count. */
  readonly place: PolicyPlace
  readonly action: RegistryAction
  /**
   * The tags that the call sets or deletes; absent if there are none, or if they are not known yet, as for the upload of
   * a blob and for a token: then a rule for some tags allows, and denies nothing.
   */
  readonly tags?: readonly string[]
}

/**
 * Returns whether a caller may do something in a repository, in the order of registry.md 1: a matching DENY denies; the
 * permission at the workspace, then a matching ALLOW, then for PULL a grant allow; all else is denied. The state of the
 * workspace is not checked, but a grant counts only while the workspace that it was given to is ACTIVE.
 */
export async function decide(parts: AccessParts, reader: Reader, question: AccessQuestion): Promise<boolean> {
  const { action, context, place } = question
  const matching = await matchingRules(parts, reader, question)
  if (matching.some(({ isDenial }) => isDenial)) return false
  const { principal } = context
  const scope = workspaceScope(place.workspace_id)
  if (principal && (await parts.access.holds(context, permissionOf[action], scope))) return true
  if (matching.length > 0) return true
  return action === 'PULL' && principal !== undefined && isGranted(parts, reader, question)
}

/** Returns whether a DENY matches; such a rule also binds the calls of the JSON API. */
export async function isDenied(
  parts: Pick<AccessParts, 'policies'>,
  reader: Reader,
  question: AccessQuestion,
): Promise<boolean> {
  return (await matchingRules(parts, reader, question)).some(({ isDenial }) => isDenial)
}

async function matchingRules(
  { policies }: Pick<AccessParts, 'policies'>,
  reader: Reader,
  { action, context, place, tags = [] }: AccessQuestion,
) {
  const { clientAddress, now, principal } = context
  const subject = { principal: principal?.id, action, tags, clientAddress, now }
  return (await policies.of(reader, place)).filter(rule => matches(rule, subject))
}

/** Returns whether an active grant gives the repository to a workspace where the caller may pull. */
async function isGranted(
  { access, taxonomy }: AccessParts,
  reader: Reader,
  { context, place: { engine, id, workspace_id } }: AccessQuestion,
): Promise<boolean> {
  const asked = new Set<string>()
  const where = { grantor_workspace_id: workspace_id, engine, repository_id: id === '' ? [''] : ['', id] }
  for await (const { value } of reader.each(grantCollection, where)) {
    const { grantee_workspace_id: grantee } = value
    if (asked.has(grantee) || !isActive(value, context.now)) continue
    asked.add(grantee)
    const scope = workspaceScope(grantee)
    if (!(await access.holds(context, permissionOf.PULL, scope))) continue
    if ((await taxonomy.effectiveState(reader, scope))?.state === 'ACTIVE') return true
  }
  return false
}

/**
 * Returns whether a caller may learn that a repository of a workspace is absent: a caller who may push to or pull from
 * all repositories of the workspace and engine (registry.md, names on the wire).
 */
export async function mayLearnAbsence(
  parts: AccessParts,
  reader: Reader,
  context: CallContext,
  workspace: string,
  engine: string,
): Promise<boolean> {
  const place = { id: '', workspace_id: workspace, engine }
  for (const action of ['PULL', 'PUSH'] as const)
    if (await decide(parts, reader, { context, place, action })) return true
  return false
}
