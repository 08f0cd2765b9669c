import type { Role } from '../../output/iam/types.ts'
import type { Scope } from '../ports/operations.ts'
import type { Reader } from '../ports/store.ts'
import type { Taxonomy } from '../ports/taxonomy.ts'
import { bindings, holdsAt } from './bindings-store.ts'
import type { Catalogue } from './catalogue.ts'
import { principals } from './principals-store.ts'
import { roles } from './roles-store.ts'
import { chainOf } from './scopes.ts'

/** What the rights of principals are computed with. */
export interface RightsParts {
  readonly catalogue: Catalogue
  readonly taxonomy: Pick<Taxonomy, 'chain'>
}

/** The permissions of a role that grant something. */
export const grantedBy = ({ permissions }: Pick<Role, 'permissions'>, catalogue: Catalogue): readonly string[] =>
  permissions.filter(key => grants(catalogue, key))

/** Whether a permission grants something: retired ones do not. */
export function grants(catalogue: Catalogue, key: string): boolean {
  const permission = catalogue.find(key)
  return permission !== undefined && permission.stage !== 'RETIRED'
}

/** The instant, in milliseconds, at which a binding stops counting; Infinity when it never does. */
export const endOf = ({ expire_time }: { readonly expire_time?: string | undefined }): number =>
  expire_time === undefined ? Infinity : Date.parse(expire_time)

/**
 * What a principal holds through unconditional bindings at an instant (iam.md 4.5, E1), read from rows. What conditional
 * bindings and policies give does not count, and what policies deny is not taken off. One that is not ACTIVE holds nothing.
 */
export class Rights {
  readonly #reader: Reader
  readonly #parts: RightsParts
  readonly #principal: string
  readonly #now: number
  readonly #at = new Map<string, ReadonlyMap<string, number>>()
  readonly #roles = new Map<string, readonly string[]>()
  #isActive: boolean | undefined

  constructor(reader: Reader, parts: RightsParts, principal: string, now: number) {
    this.#reader = reader
    this.#parts = parts
    this.#principal = principal
    this.#now = now
  }

  /** Whether the principal may act at all. */
  async isActive(): Promise<boolean> {
    this.#isActive ??= (await this.#reader.get(principals, this.#principal))?.value.status === 'ACTIVE'
    return this.#isActive
  }

  /** The permissions held at a scope, each with the instant until which one of its sources lasts: Infinity for ever. */
  async at(scope: Scope): Promise<ReadonlyMap<string, number>> {
    const known = this.#at.get(scope.id)
    if (known) return known
    const held = await this.#read(scope)
    this.#at.set(scope.id, held)
    return held
  }

  async #read(scope: Scope): Promise<ReadonlyMap<string, number>> {
    const held = new Map<string, number>()
    const chain = await chainOf(this.#reader, this.#parts, scope)
    if (chain === undefined || !(await this.isActive())) return held
    const where = { principal_id: this.#principal, scope_id: chain.map(({ id }) => id) }
    for await (const { value } of this.#reader.each(bindings, where)) {
      if (value.condition !== '' || !holdsAt(value, this.#now)) continue
      for (const key of await this.#permissionsOf(value.role_id)) {
        held.set(key, Math.max(held.get(key) ?? 0, endOf(value)))
      }
    }
    return held
  }

  async #permissionsOf(role: string): Promise<readonly string[]> {
    const known = this.#roles.get(role)
    if (known) return known
    const stored = await this.#reader.get(roles, role)
    const permissions = stored ? grantedBy(stored.value, this.#parts.catalogue) : []
    this.#roles.set(role, permissions)
    return permissions
  }
}
