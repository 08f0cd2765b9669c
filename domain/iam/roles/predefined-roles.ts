import type { AccessClass, ScopeKind } from '../../../output/iam/types.ts'
import type { CataloguePermission } from '../interfaces/catalogue.ts'

/** A predefined role. The id of a predefined role is its name, so that scripts work on every installation. */
export interface PredefinedRole {
  readonly name: string
  readonly displayName: string
  readonly description: string
  readonly bindableAt: readonly ScopeKind[]
  /** Whether an active permission belongs to the role. The rule also covers permissions that areas add later. */
  readonly holds: (permission: CataloguePermission) => boolean
}

type Rule = PredefinedRole['holds']

const everywhere: readonly ScopeKind[] = ['PLATFORM', 'ORGANISATION', 'GROUP', 'WORKSPACE']

const at =
  (...scopes: readonly ScopeKind[]): Rule =>
  ({ scope_types }) =>
    scopes.some(scope => scope_types.includes(scope))

const ofClass =
  (...classes: readonly AccessClass[]): Rule =>
  ({ access_class }) =>
    classes.includes(access_class)

const all =
  (...rules: readonly Rule[]): Rule =>
  permission =>
    rules.every(rule => rule(permission))

const named = (keys: readonly string[]): Rule => {
  const known = new Set(keys)
  return ({ id }) => known.has(id)
}

const verbs = (resource: string, names: readonly string[]): readonly string[] =>
  names.map(verb => `${resource}.${verb}`)

const usesOfKeys = [
  'encrypt',
  'decrypt',
  'reEncrypt',
  'sign',
  'verify',
  'hmac',
  'generateDataEncryptionKey',
  'generateRandomBytes',
  'get',
  'list',
]

const below = at('ORGANISATION', 'GROUP', 'WORKSPACE')
const audited = /^(?:iam|vault|observability\.activities|registry\.auditEvents)\./

/** The areas whose protected content (class DATA) an editor may use; the vault is not among them. */
const openContent: ReadonlySet<string> = new Set(['observability', 'registry', 'storage'])

function isForEditors({ access_class, service }: CataloguePermission): boolean {
  if (access_class === 'READ') return true
  if (access_class === 'WRITE') return service !== 'iam'
  return access_class === 'DATA' && openContent.has(service)
}

/**
 * The predefined roles, from the table of iam.md 1. The administrator role of a scope contains all permissions of the
 * lower roles there; otherwise rule E1 would prevent administrators from granting the lower roles.
 */
export const predefinedRoles: readonly PredefinedRole[] = [
  {
    name: 'platform-admin',
    displayName: 'Platform administrator',
    description: 'Everything, everywhere.',
    bindableAt: ['PLATFORM'],
    holds: () => true,
  },
  {
    name: 'platform-viewer',
    displayName: 'Platform viewer',
    description: 'Sees configuration everywhere, but no protected content.',
    bindableAt: ['PLATFORM'],
    holds: ofClass('READ'),
  },
  {
    name: 'organisation-admin',
    displayName: 'Organisation administrator',
    description: 'Everything in an organisation, its groups and workspaces.',
    bindableAt: ['ORGANISATION'],
    holds: below,
  },
  {
    name: 'organisation-viewer',
    displayName: 'Organisation viewer',
    description: 'Sees the configuration of an organisation, its groups and workspaces, but no protected content.',
    bindableAt: ['ORGANISATION'],
    holds: all(below, ofClass('READ')),
  },
  {
    name: 'group-admin',
    displayName: 'Group administrator',
    description: 'Everything in a group, and the groups and workspaces below it.',
    bindableAt: ['ORGANISATION', 'GROUP'],
    holds: at('GROUP', 'WORKSPACE'),
  },
  {
    name: 'workspace-admin',
    displayName: 'Workspace administrator',
    description: 'Everything in workspaces, their protected content included.',
    bindableAt: everywhere,
    holds: at('WORKSPACE'),
  },
  {
    name: 'workspace-editor',
    displayName: 'Workspace editor',
    description: 'Sees and changes what lies in workspaces, but neither who has access nor what the vault protects.',
    bindableAt: everywhere,
    holds: all(at('WORKSPACE'), isForEditors),
  },
  {
    name: 'workspace-viewer',
    displayName: 'Workspace viewer',
    description: 'Sees the configuration of workspaces, but no protected content.',
    bindableAt: everywhere,
    holds: all(at('WORKSPACE'), ofClass('READ')),
  },
  {
    name: 'security-auditor',
    displayName: 'Security auditor',
    description: 'Sees who has access, the configuration of the vault and what was done.',
    bindableAt: everywhere,
    holds: all(ofClass('READ'), ({ id }) => audited.test(id)),
  },
  {
    name: 'vault-secret-accessor',
    displayName: 'Vault secret accessor',
    description: 'Reads the values of secrets.',
    bindableAt: everywhere,
    holds: named([...verbs('vault.secretVersions', ['access', 'list']), ...verbs('vault.secrets', ['get', 'list'])]),
  },
  {
    name: 'vault-crypto-user',
    displayName: 'Vault crypto user',
    description: 'Uses cryptographic keys, but does not administer them.',
    bindableAt: everywhere,
    holds: named(verbs('vault.cryptoKeys', usesOfKeys)),
  },
  {
    name: 'certificate-requester',
    displayName: 'Certificate requester',
    description: 'Requests certificates, and sees the templates and authorities for them.',
    bindableAt: everywhere,
    holds: named([
      ...verbs('vault.certificates', ['create', 'get', 'list']),
      ...verbs('vault.certificateTemplates', ['get', 'list']),
      ...verbs('vault.certificateAuthorities', ['get', 'list', 'getCrl']),
    ]),
  },
]
