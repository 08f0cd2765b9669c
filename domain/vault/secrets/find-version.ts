import { secretVersionNotFound } from '../../../output/vault/errors.ts'
import type { Secret } from '../../../output/vault/types.ts'
import type { Reader, Stored, Transaction } from '../../ports/store.ts'
import type { Taxonomy } from '../../ports/taxonomy.ts'
import { requireFound } from '../../resources/find-rows.ts'
import { requireUnexpired } from './secret-expiry.ts'
import { secretKind } from './secret-kind.ts'
import { secretVersionCollection, versionRowId, type StoredSecretVersion } from './secret-versions-store.ts'
import { secretCollection } from './secrets-store.ts'

/** The secret that the path of a call names. */
export interface SecretPath {
  readonly workspace: string
  readonly engine: string
  readonly secret: string
}

/** A version that the path of a call names by its number, its alias, or `latest`. */
export interface VersionPath extends SecretPath {
  readonly id: string
}

type Tree = Pick<Taxonomy, 'chain'>

/**
 * Returns the secret of a path; `stored` is the row with its id, if any. Throws WORKSPACE_NOT_FOUND or SECRET_NOT_FOUND,
 * also for an expired secret.
 */
export async function requireSecret(
  reader: Reader,
  tree: Tree,
  { engine, secret, workspace }: SecretPath,
  stored: Stored<Secret> | undefined,
  now: number,
): Promise<Stored<Secret>> {
  const found = await requireFound(reader, tree, secretKind, { workspace, engine, id: secret }, stored)
  requireUnexpired(found.value, now)
  return found
}

/** Locks the secret of a path and the version with the number of the path. Throws as `requireSecret` and `numbered`. */
export async function lockVersion(
  tx: Transaction,
  tree: Tree,
  path: VersionPath,
  now: number,
): Promise<{ readonly secret: Stored<Secret>; readonly version: Stored<StoredSecretVersion> }> {
  const secret = await requireSecret(tx, tree, path, await tx.lock(secretCollection, path.secret), now)
  const version = await tx.lock(secretVersionCollection, versionRowId(secret.id, path.id))
  return { secret, version: version ?? refuse(secret.id, path.id) }
}

/**
 * Returns the version that a path names. `latest` is the highest number whatever its state: an older value is never
 * returned instead. Throws SECRET_VERSION_NOT_FOUND.
 */
export async function findVersion(reader: Reader, secret: Secret, name: string): Promise<Stored<StoredSecretVersion>> {
  const number = numberOf(secret, name)
  const version = number === '' ? undefined : await reader.get(secretVersionCollection, versionRowId(secret.id, number))
  return version ?? refuse(secret.id, name)
}

/** Returns the number that a name means; empty for an unknown alias, and for `latest` before the first version. */
function numberOf({ latest_version, version_aliases }: Secret, name: string): string {
  if (/^\d/.test(name)) return name
  if (name === 'latest') return latest_version
  return Object.hasOwn(version_aliases, name) ? (version_aliases[name] ?? '') : ''
}

function refuse(secret: string, name: string): never {
  throw secretVersionNotFound(`secret ${secret} has no version ${name}`, {
    resource: { type: 'vault.secretVersions', name: versionRowId(secret, name) },
  })
}
