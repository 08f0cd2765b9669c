import type { RetentionPolicyInput, RetentionRuleInput } from '../../../../output/registry/types.ts'
import { ociIndex, type SentDescriptor } from '../oci-client.ts'
import type { Around, HeldRetention } from './held-retention.ts'

/** Returns a DELETE rule; by default it matches everything. */
export const drop = (id: string, more: Partial<RetentionRuleInput> = { pushed_before: '0s' }): RetentionRuleInput => ({
  id,
  action: 'REGISTRY_RETENTION_ACTION_DELETE',
  ...more,
})

/** Returns a KEEP rule. */
export const keep = (id: string, more: Partial<RetentionRuleInput>): RetentionRuleInput => ({
  id,
  action: 'REGISTRY_RETENTION_ACTION_KEEP',
  ...more,
})

export const enforce = { mode: 'REGISTRY_RETENTION_MODE_ENFORCE' as const }

let repositories = 0

/** Creates a repository, and returns functions on it and on policies about it alone. */
export async function ruledRepository(held: HeldRetention, more: object = {}) {
  const { api, begin, oci, policy, repository, work, workspace } = held
  repositories += 1
  const own = `ruled-${repositories}`
  const id = await repository(own, more)
  const name = `acme/web/${own}`
  const at = { workspace, repository: id }
  const read = (policyId: string) => api.registry.getRetentionPolicy({ workspace, engine: 'native', id: policyId })
  const result = async (policyId: string) => (await read(policyId)).last_evaluation
  return {
    at,
    id,
    name,
    result,
    push: (tag: string, more: object = {}) => oci.pushImage(name, tag, `${own} ${tag}`, more),
    /** Pushes an index of images that the repository has, and returns its digest. */
    async pushIndex(tag: string, children: readonly string[], more: object = {}) {
      const manifests: SentDescriptor[] = []
      for (const digest of children) {
        const { bytes } = await oci.send(`/v2/${name}/manifests/${digest}`)
        manifests.push({ mediaType: 'application/vnd.oci.image.manifest.v1+json', digest, size: bytes.length })
      }
      const index = { schemaVersion: 2, mediaType: ociIndex, manifests, ...more }
      const answer = await oci.pushManifest(name, tag, index, ociIndex)
      return answer.headers.get('docker-content-digest') ?? ''
    },
    /** Returns the digests of the artifacts, each with its tags. */
    async left() {
      const found = new Map<string, readonly string[]>()
      for await (const { digest, tags } of api.registry.iterateArtifacts(at))
        found.set(digest, tags.map(tag => tag.name).toSorted())
      return found
    },
    policy: (rules: readonly RetentionRuleInput[], given: Partial<RetentionPolicyInput> = enforce) =>
      policy(rules, { repository_patterns: [own], ...given }),
    async run(rules: readonly RetentionRuleInput[], given: Partial<RetentionPolicyInput> = enforce, around?: Around) {
      const made = await policy(rules, { repository_patterns: [own], ...given })
      await begin(made)
      await work(made, around)
      return { policy: made, evaluation: await result(made) }
    },
  }
}
