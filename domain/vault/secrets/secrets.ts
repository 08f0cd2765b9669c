import { secretVersionDestroyed, secretVersionNotFound } from '../../../output/vault/errors.ts'
import type { VaultArea } from '../../../output/vault/area.ts'
import type { SecretHandlers } from '../../../output/vault/handlers.ts'
import type { ParsedCreateSecretRequest, Secret, SecretRotation, SecretUpdate } from '../../../output/vault/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { atField } from '../../../runtime/errors.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Transaction } from '../../ports/store.ts'
import { Resources } from '../../resources/resources.ts'
import type { VaultEnvironment } from '../environment.ts'
import { setAgenda } from '../work/agenda.ts'
import { durationMs } from '../../resources/durations.ts'
import { withAnsweredTimes } from '../../resources/answered-times.ts'
import { freeName } from './free-name.ts'
import { eraseVersions, removeVersions } from './remove-secret.ts'
import { requireUnexpired, unexpired } from './secret-expiry.ts'
import { secretKind } from './secret-kind.ts'
import { secretVersionCollection, versionRowId } from './secret-versions-store.ts'
import { secretCollection } from './secrets-store.ts'

/** The calls of secrets. */
export function secrets(environment: VaultEnvironment): SecretHandlers {
  const resources = new Resources<Secret, VaultArea>(secretKind, environment)
  return {
    listSecrets: (request, context) => resources.list(request, { ...context, query: unexpired(context.query) }),
    async getSecret(request, { now }) {
      const { text, value } = await resources.read(request)
      requireUnexpired(value, now)
      return text
    },
    async createSecret(request, context) {
      const secret = { ...resources.standard(request, context), ...newSecret(request, context) }
      return resources.create(request, context, secret, {
        async refer(tx) {
          await requireAliases(tx, secret, {})
          await environment.payloadKeys.require(tx, secret)
          await freeName(tx, environment, secret, context.now)
        },
        count: tx => schedule(tx, secret),
      })
    },
    async updateSecret(request, context) {
      return resources.update({ ...request, body: withTimes(request.body) }, context, {
        found: secret => requireUnexpired(secret, context.now),
        async refer(tx, { value }, before) {
          await requireAliases(tx, value, before.version_aliases)
          return value.rotation ? { members: { rotation: withNextTime(value.rotation, context.now) } } : {}
        },
        async count(tx, { value }) {
          const stored = await tx.get(secretCollection, value.id)
          await schedule(tx, stored?.value ?? value)
        },
      })
    },
    async deleteSecret(request, context) {
      const answer = await resources.delete(request, context, {
        found: secret => requireUnexpired(secret, context.now),
        release: (tx, secret) => removeVersions(tx, secret, context.now),
      })
      await eraseVersions(environment, request.id)
      await environment.scrub()
      return answer
    },
  }
}

/** Returns the members that a caller gives to a new secret, with the times that follow from them. */
function newSecret({ body }: ParsedCreateSecretRequest, { now }: CallContext) {
  const { etag: _precondition, expire_time, rotation, ttl, ...given } = withTimes(body)
  const expireTime = ttl === undefined ? expire_time : formatMillis(now + durationMs(ttl))
  return {
    ...given,
    ...(expireTime !== undefined && { expire_time: expireTime }),
    ...(rotation && { rotation: withNextTime(rotation, now) }),
    latest_version: '',
    enabled_version_count: 0,
  }
}

/** Returns a body with its times in the form of answers. */
function withTimes<Body extends SecretUpdate>(body: Body): Body {
  const { rotation } = body
  const timed = withAnsweredTimes(body, 'expire_time')
  return rotation === undefined ? timed : { ...timed, rotation: withAnsweredTimes(rotation, 'next_rotation_time') }
}

const withNextTime = (rotation: SecretRotation, now: number): SecretRotation => ({
  ...rotation,
  next_rotation_time: rotation.next_rotation_time ?? formatMillis(now + durationMs(rotation.rotation_period)),
})

/**
 * Requires that the version of each new or changed alias exists and is not destroyed. Throws SECRET_VERSION_NOT_FOUND or
 * SECRET_VERSION_DESTROYED at the field.
 */
async function requireAliases(
  tx: Transaction,
  { id, version_aliases }: Secret,
  before: Secret['version_aliases'],
): Promise<void> {
  for (const [alias, number] of Object.entries(version_aliases)) {
    if (Object.hasOwn(before, alias) && before[alias] === number) continue
    const version = (await tx.get(secretVersionCollection, versionRowId(id, number)))?.value
    const field = `version_aliases.${alias}`
    const resource = { type: 'vault.secretVersions', name: versionRowId(id, number) }
    if (!version) throw atField(secretVersionNotFound(`secret ${id} has no version ${number}`, { resource }), field)
    if (version.state === 'VAULT_SECRET_VERSION_STATE_DESTROYED')
      throw atField(
        secretVersionDestroyed(`version ${number} of secret ${id} is destroyed`, {
          resource,
          precondition: [{ type: 'STATE', subject: resource.name, description: 'the version must not be destroyed' }],
        }),
        field,
      )
  }
}

/** Sets the due work of a secret: its expiry and its next rotation. */
async function schedule(tx: Transaction, secret: Secret): Promise<void> {
  await setAgenda(tx, 'secrets.expire', secret, secret.expire_time)
  await setAgenda(tx, 'secrets.announceRotation', secret, secret.rotation?.next_rotation_time)
}
