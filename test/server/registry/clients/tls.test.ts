import { once } from 'node:events'
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import { request as ask } from 'node:http'
import { createServer, type Server } from 'node:https'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { servedRegistry } from '../../../domain/registry/served-registry.ts'
import { freePort } from './distribution-cluster.ts'
import { hasPrograms, makeLayout, ociPrograms } from './oci-programs.ts'

const hasAll = hasPrograms('a registry behind a proxy with TLS', 'skopeo', 'umoci', 'openssl')

/** Starts a proxy that ends TLS, and passes each request on to a target. */
async function tlsProxy(
  port: number,
  files: { readonly key: Buffer; readonly cert: Buffer },
  target: string,
): Promise<Server> {
  const server = createServer(files, (request, answer) => {
    const { headers, method, url = '/' } = request
    const passed = ask(new URL(url, target), { ...(method !== undefined && { method }), headers })
    passed.on('response', found => {
      answer.writeHead(found.statusCode ?? 502, found.headers)
      found.pipe(answer)
    })
    request.pipe(passed)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return server
}

it.runIf(hasAll)('skopeo signs in, pushes and pulls through a proxy that ends TLS', async () => {
  const port = await freePort()
  const host = `127.0.0.1:${port}`
  const programs = ociPrograms()
  const subject = ['-subj', '/CN=registry', '-addext', 'subjectAltName=IP:127.0.0.1'] as const
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'] as const
  await programs.run('openssl', 'req', '-x509', ...curve, '-keyout', 'key.pem', '-out', 'cert.pem', ...subject)
  const [key, cert] = [readFileSync(join(programs.folder, 'key.pem')), readFileSync(join(programs.folder, 'cert.pem'))]
  const { accessToken, api, repository, url, workspace } = await servedRegistry(onTestFinished, 0, {
    baseUrl: `https://${host}`,
  })
  const proxy = await tlsProxy(port, { key, cert }, url)
  onTestFinished(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  const app = await repository('app')
  const { uri } = await api.registry.getRepository({ workspace, engine: 'native', id: app })
  expect(uri).toBe(`${host}/acme/web/app`)
  await makeLayout(programs, 'layout', 'v1')
  const target = `docker://${uri}:v1`
  const push = ['copy', '--quiet', '--dest-creds', `token:${accessToken}`, 'oci:layout:v1', target] as const
  expect(await programs.refused('skopeo', ...push)).toContain('certificate')
  mkdirSync(join(programs.folder, 'trusted'))
  copyFileSync(join(programs.folder, 'cert.pem'), join(programs.folder, 'trusted', 'ca.crt'))
  await programs.run('skopeo', ...push, '--dest-cert-dir', 'trusted')
  await programs.run('skopeo', 'login', '--cert-dir', 'trusted', '-u', 'token', '-p', accessToken, host)
  const { Digest: digest } = JSON.parse(await programs.run('skopeo', 'inspect', '--cert-dir', 'trusted', target))
  const artifact = await api.registry.getArtifact({ workspace, repository: app, reference: 'v1' })
  expect(artifact.digest).toBe(digest)
})
