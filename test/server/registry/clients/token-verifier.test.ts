import { describe, expect, it, onTestFinished } from 'vitest'
import { registryMember } from '../../../domain/registry/members.ts'
import { ociImage } from '../../../domain/registry/oci-client.ts'
import { servedRegistry } from '../../../domain/registry/served-registry.ts'
import { distributionCluster, freePort } from './distribution-cluster.ts'
import { hasPrograms, makeLayout, ociPrograms } from './oci-programs.ts'

const programsOfTest = ['docker-registry', 'skopeo', 'umoci'] as const

describe.runIf(hasPrograms('the verification of tokens by another registry', ...programsOfTest))(
  'a registry of CNCF Distribution that trusts the certificate of the platform',
  () => {
    it('accepts the tokens of the platform for what they grant, and nothing else', async () => {
      const { accessToken, oci, organisation, url, workspace, ...served } = await servedRegistry(onTestFinished)
      const { host } = new URL(url)
      const port = await freePort()
      const cluster = await distributionCluster({ issuer: url, service: host, token: await oci.token(), port })
      const reader = await registryMember({ ...served, url }, 'reader', { organisation, workspace }, [
        'registry.artifacts.pull',
      ])
      const programs = ociPrograms()
      await makeLayout(programs, 'layout', 'v1')
      const target = `docker://127.0.0.1:${port}/acme/web/first:v1`
      const push = ['copy', '--quiet', '--dest-tls-verify=false', 'oci:layout:v1', target, '--dest-creds'] as const
      const inspect = ['inspect', '--tls-verify=false', target, '--creds'] as const
      await programs.run('skopeo', ...push, `token:${accessToken}`)
      const { Digest: digest } = JSON.parse(await programs.run('skopeo', ...inspect, `token:${reader.token}`))
      expect(digest).toMatch(/^sha256:/)
      expect(await programs.refused('skopeo', ...push, `token:${reader.token}`)).toContain('denied')
      expect(await programs.refused('skopeo', 'inspect', '--no-creds', ...inspect.slice(1, 3))).toContain('denied')
      const read = (token: string): Promise<Response> =>
        fetch(`${cluster.url}/v2/acme/web/first/manifests/v1`, {
          headers: { authorization: `Bearer ${token}`, accept: ociImage },
        })
      const token = await reader.oci.token('repository:acme/web/first:pull')
      expect((await read(token)).status).toBe(200)
      for (const other of ['repository:acme/web/other:pull', 'registry:catalog:*'])
        expect((await read(await reader.oci.token(other))).status).toBe(401)
      for (const altered of [`${token.slice(0, -4)}AAAA`, accessToken]) expect((await read(altered)).status).toBe(401)
    })
  },
)
