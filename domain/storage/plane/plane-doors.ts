import { signerRevoked } from '../../../output/storage/errors.ts'
import type { CallContext, Principal } from '../../../runtime/context.ts'
import type { Doors } from '../../../runtime/doors.ts'
import { engineUnavailable } from '../../../output/shared/errors.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { bucketCollection, type StoredBucket } from '../buckets/buckets-store.ts'
import type { StorageEnvironment } from '../environment.ts'
import { absentBucket, requireUsable } from '../objects/version-changes.ts'
import { partQuery } from '../uploads/part-urls.ts'
import { verify, type VerifiedRequest } from './verify.ts'

/** The principal that asked for a URL, with the request that its signature allows. */
class SignedPrincipal implements Principal {
  readonly id: string
  readonly kind: Principal['kind']
  readonly request: VerifiedRequest

  constructor({ id, kind }: Principal, request: VerifiedRequest) {
    this.id = id
    this.kind = kind
    this.request = request
  }
}

/** A call that is allowed, with the bucket of its object. */
export interface AllowedCall {
  readonly request: VerifiedRequest
  readonly bucket: StoredBucket
}

/** Returns the call that the doors of the plane have allowed. */
export function allowedCall({ handedOn }: CallContext): AllowedCall {
  if (handedOn === undefined || !('request' in handedOn) || !('bucket' in handedOn))
    throw new Error('a call of the data plane has no verified request')
  // Only `planeDoors` hands on objects with these members.
  return handedOn as AllowedCall
}

/**
 * Returns the checks of the data plane: the signature of the URL, then the rights of its signer at the moment of the use
 * (storage.md 4.3). Throws the errors of `verify`, SIGNER_REVOKED, BUCKET_NOT_FOUND, BUCKET_DELETING,
 * WORKSPACE_NOT_ACTIVE, and ENGINE_UNAVAILABLE on a server that does not serve content.
 */
export function planeDoors(environment: StorageEnvironment): Doors {
  const { access, functions, keys, lease, store, taxonomy } = environment
  return {
    async authenticate(request) {
      if (!(await lease.isServing()))
        throw engineUnavailable('another server of the platform serves the content', { retryAfterSeconds: 5 })
      const verified = await verify(keys, request, environment.clock.now())
      const found = await functions.iam?.findPrincipal(store, verified.principal)
      if (found?.status !== 'ACTIVE') throw revoked()
      return new SignedPrincipal({ id: verified.principal, kind: found.kind }, verified)
    },
    async authorize(context) {
      const { principal } = context
      if (!(principal instanceof SignedPrincipal)) throw revoked()
      const { request } = principal
      const bucket = (await store.get(bucketCollection, request.bucket))?.value
      if (!bucket || bucket.engine !== request.engine) throw absentBucket(request.bucket)
      const isUpload = context.method === 'PUT'
      const isPart = request.query[partQuery.upload] !== undefined
      const creation = isPart ? 'storage.multipartUploads.create' : 'storage.objects.create'
      const permission = isUpload ? creation : 'storage.objects.download'
      if (!(await access.holds(context, permission, workspaceScope(bucket.workspace_id)))) throw revoked()
      if (isUpload) requireUsable(bucket)
      await taxonomy.checkActive(store, bucket.workspace_id)
      return { handedOn: { request, bucket } satisfies AllowedCall }
    },
  }
}

const revoked = () =>
  signerRevoked(
    'the principal that asked for the URL is no longer active, or has lost the permission; ask for another URL',
  )
