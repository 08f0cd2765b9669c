import ipaddr from 'ipaddr.js'
import type { StorageClassUpdate } from '../../../output/storage/types.ts'
import { rulesOf, type FormRule } from '../../../runtime/form-rules.ts'

/** The ranges of addresses to which http is allowed. */
const ownRanges: ReadonlySet<string> = new Set(['loopback', 'private', 'uniqueLocal'])

/**
 * Returns the fault of the URL of an S3 store, as a predicate; undefined for a usable URL: https, or http to `localhost`
 * and to loopback and private addresses, without a path, credentials, a query and a fragment.
 */
function endpointFault(endpoint: string): string | undefined {
  if (!URL.canParse(endpoint)) return 'must be a URL'
  const { hash, hostname, password, pathname, protocol, search, username } = new URL(endpoint)
  if (username !== '' || password !== '') return 'must not have credentials; they belong into the secret'
  if (pathname !== '/' || search !== '' || hash !== '') return 'must have neither a path nor a query nor a fragment'
  if (protocol === 'https:' || isOwn(hostname)) return undefined
  return 'must begin with https; http is for localhost and for loopback and private addresses alone'
}

function isOwn(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  return host === 'localhost' || (ipaddr.isValid(host) && ownRanges.has(ipaddr.process(host).range()))
}

const rule = rulesOf<StorageClassUpdate>()

/** The rules for the bodies of storage classes of every engine beyond their schemas (step 5). */
export const classForm: readonly FormRule[] = [
  rule(['s3'], function* ({ s3 }) {
    const description = s3?.endpoint === undefined ? undefined : endpointFault(s3.endpoint)
    if (description !== undefined) yield { field: 's3.endpoint', description }
  }),
  rule(['native', 's3'], function* ({ native, s3 }) {
    if (native === undefined || s3 === undefined) return
    yield {
      field: 's3',
      description: 'cannot be given together with native: a class has the block of its engine alone',
    }
  }),
]
