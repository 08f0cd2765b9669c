import type { JsonObject } from '../../generator/conform/json.ts'

const past = '2001-01-01T00:00:00Z'
const disk = { name: 'data', size_gib: 1 }
const subnet_id = '0199c7a2-0000-7000-8000-000000000001'
const statement = {
  effect: 'ALLOW',
  principals: ['anyone'],
  permissions: ['compute.vms.get'],
  resources: ['compute.vms/*', 'no.such/*'],
}
const secret: readonly JsonObject[] = [
  { expire_time: past, ttl: '10s' },
  { rotation: { rotation_period: '1s', next_rotation_time: past } },
  { version_destroy_delay: '1s' },
  { version_aliases: { latest: '1' } },
]
const cryptoKey: readonly JsonObject[] = [
  { rotation_period: '1s' },
  { next_rotation_time: past },
  { destroy_scheduled_duration: '999999999s' },
]
const profile: readonly JsonObject[] = [
  { email: 'a\u037eb@example.test' },
  { locale: 'no language' },
  { time_zone: 'Nowhere/Town' },
]
const lists: readonly JsonObject[] = [
  { data_disks: [disk, disk] },
  { network_interfaces: [{ subnet_id }, { subnet_id }] },
  { metadata: { large: 'x'.repeat(65_537) } },
]
const vm = { cpu: { count: 1 }, boot_disk: { image: 'tiny' } }
const lonelySum = { additional_authenticated_data_crc32c: 1 }
const pool: readonly JsonObject[] = [
  { capacity: { vcpus: 1, memory_mib: 128, disk_gib: 1 }, reserved: { vcpus: 2, memory_mib: 0, disk_gib: 0 } },
]
const authority = {
  name: 'root',
  type: 'VAULT_CERTIFICATE_AUTHORITY_TYPE_ROOT',
  subject: { common_name: 'Acme Root' },
  lifetime: '86400s',
}
const activated = {
  ...authority,
  activation: { certificate_authority_id: subnet_id, pem_certificate_chain: ['none'] },
  display_name: 'Root',
  description: 'root',
  labels: { tier: 'top' },
  key_algorithm: 'VAULT_CRYPTO_KEY_ALGORITHM_EC_P256_SHA256',
  crypto_key_id: subnet_id,
  max_path_length: 1,
  name_constraints: { permitted_dns_names: ['acme.example'] },
  parent_certificate_authority_id: subnet_id,
  crl_urls: ['http://acme.example/root.crl'],
  issuing_certificate_urls: ['http://acme.example/root.crt'],
  require_template: true,
  maximum_lifetime: '300s',
  etag: '1',
}
const template: readonly JsonObject[] = [
  { default_lifetime: '1s' },
  { maximum_lifetime: '1s' },
  { allowed_dns_names: ['a.example', 'a_b.example'] },
  { allowed_ip_ranges: ['10.0.0.1/8'] },
  { allowed_uri_prefixes: ['https://a.example/?query'] },
  { allowed_email_domains: ['a@a.example'] },
  { extended_key_usages: ['1.2.99999999999'] },
  { policy_oids: ['1.99.1'] },
]

const bucket: readonly JsonObject[] = [
  { region: 'local1', multi_region: 'all' },
  { retention_policy: { retention_period: '9999999999s' } },
  { lifecycle_rules: [{ id: 'a', action: 'STORAGE_LIFECYCLE_ACTION_DELETE', condition: {} }] },
]
const storageClass: readonly JsonObject[] = [
  { s3: { endpoint: 'http://s3.example', region: 'north1', credentials_secret_id: subnet_id } },
  { native: {}, s3: { endpoint: 'https://s3.example', region: 'north1', credentials_secret_id: subnet_id } },
]

const accessPolicy: readonly JsonObject[] = [
  {
    name: 'dev',
    rules: [
      {
        effect: 'REGISTRY_POLICY_EFFECT_ALLOW',
        principals: ['ALL_AUTHENTICATED'],
        actions: ['REGISTRY_ACTION_SCAN'],
        source_cidrs: ['192.0.2.0/40'],
      },
    ],
  },
]
const sameRules = ['one', 'one'].map(id => ({
  id,
  action: 'REGISTRY_RETENTION_ACTION_DELETE',
  tag_state: 'REGISTRY_TAG_STATE_UNTAGGED',
}))
const lockHolder = { holder: { type: 'compute.vms', id: subnet_id } }

const sameTargets = { targets: [{ url: 'https://a.example/a' }, { url: 'https://a.example/b' }] }
const sameKeys = ['one', 'one'].map(name => ({ name, secret: 'kQ7vX2mZ9pR4tB8nW1cY6hJ3dF5gL0sA' }))
const ingestion: readonly JsonObject[] = [
  { otlp: {}, prometheus_remote_write: {} },
  { otlp: {}, ingest_keys: sameKeys },
  { prometheus_scrape: sameTargets, static_labels: { cluster: 'main' } },
  { prometheus_scrape: { targets: [{ url: 'https://a.example/a' }] }, static_labels: { __cluster: 'main' } },
]
const slowScrape = { targets: [{ url: 'https://a.example/' }], scrape_interval: '5s', scrape_timeout: '6s' }

const receiver = { name: 'page', webhook: { url: 'https://a.example/' } }
const alertRule: readonly JsonObject[] = [
  ...['evaluation_interval', 'for', 'keep_firing_for', 'group_interval', 'repeat_interval'].map(name => ({
    [name]: '999999999s',
  })),
  { alert_labels: { severity: 'page', __team: 'a' } },
  { query: 'é'.repeat(5000) },
  { receivers: [receiver, receiver, { name: 'none' }] },
]
const logSink: readonly JsonObject[] = [
  { destination: { bucket: { bucket_id: subnet_id, flush_interval: '1s' } } },
  { destination: { bucket: { bucket_id: subnet_id, prefix: 'a/../b' } } },
  { exclusions: ['a', 'b'].map(value => ({ name: 'one', filter: `{job="${value}"}` })) },
]
const sinkToHook = {
  name: 'archive',
  sources: ['OBSERVABILITY_SINK_SOURCE_LOGS'],
  destination: { webhook: { url: 'https://a.example/' } },
}
const rangeOfTimes = { query: 'up', start_time: past, end_time: past }

/**
 * The bodies that the rules of each operation refuse whose members the schema accepts, keyed by `area.operationId`. A body
 * has the members that the rules of its operation require. Each rule must refuse one of the bodies.
 */
export const faultyForms: Readonly<Record<string, readonly JsonObject[]>> = {
  'compute.createVm': [
    { ...vm, cpu: { count: 3, threads_per_core: 2 } },
    { ...vm, boot_disk: {} },
    ...lists.map(members => ({ ...vm, ...members })),
  ],
  'compute.updateVm': lists,
  'observability.createAlertRule': alertRule.map(members => ({ name: 'down', query: 'up == 0', ...members })),
  'observability.createIngestionConfig': [
    ...ingestion.map(members => ({ name: 'nodes', ...members })),
    { name: 'nodes' },
    { name: 'nodes', prometheus_scrape: slowScrape },
    { name: 'nodes', otlp: {}, ingest_keys: [{ name: 'one' }] },
  ],
  'observability.createLogSink': logSink.map(members => ({ ...sinkToHook, ...members })),
  'observability.createRetentionPolicy': [{ name: 'short', signal: 'OBSERVABILITY_SIGNAL_METRICS', retention: '1s' }],
  'observability.createSilence': [
    {
      matchers: [{ name: 'a', value: '(', operator: 'OBSERVABILITY_MATCH_OPERATOR_REGEX' }],
      end_time: past,
      comment: '',
    },
  ],
  'observability.queryLogs': [{ query: '{a="b"}', step: '0.5s' }],
  'observability.queryMetrics': [{ query: 'up', timeout: '999s' }],
  'observability.queryMetricsRange': [
    { ...rangeOfTimes, step: '60s', timeout: '999s' },
    { ...rangeOfTimes, step: '0.5s' },
  ],
  'observability.tailLogs': [
    { query: '{a="b"}', wait: '31s' },
    { query: '{a="b"}', cursor: 'a', start_time: past },
  ],
  'observability.searchTraces': [{ min_duration: `${'9'.repeat(20)}s` }, { max_duration: `${'9'.repeat(20)}s` }],
  'observability.updateAlertRule': alertRule,
  'observability.updateLogSink': logSink,
  'observability.updateIngestionConfig': [...ingestion, { prometheus_scrape: slowScrape }],
  'observability.updateRetentionPolicy': [{ retention: '1s' }],
  'registry.createAccessPolicy': accessPolicy,
  'registry.createDeploymentLock': [{ reference: 'v1', reason: 'in use', ...lockHolder }],
  'registry.createRepository': [{ name: 'api', region: 'local1', multi_region: 'all' }],
  'registry.createRepositoryAccessPolicy': accessPolicy,
  'registry.createScanPolicy': [{ name: 'nightly', trigger: 'REGISTRY_SCAN_TRIGGER_SCHEDULED' }],
  'registry.createRetentionPolicy': [{ name: 'clean-up', rules: sameRules }],
  'registry.updateAccessPolicy': accessPolicy,
  'registry.updateDeploymentLock': [lockHolder],
  'registry.updateRepository': [{ region: 'local1', multi_region: 'all' }],
  'registry.updateRepositoryAccessPolicy': accessPolicy,
  'registry.updateRetentionPolicy': [{ rules: sameRules }],
  'storage.copyObject': [{ content_type: 'text/plain' }, { custom_metadata: { a: '1' } }],
  'storage.createBucket': bucket,
  'storage.createPartUrls': [{ parts: [{ part_number: 1 }, { part_number: 1 }] }, { expires_in: '604801s' }],
  'storage.createPresignedDownloadUrl': [{ expires_in: '604801s' }],
  'storage.createPresignedUploadUrl': [{ expires_in: '604801s' }, { content_length: 1, max_content_length: 1 }],
  'storage.updateBucket': bucket,
  'storage.createStorageClass': storageClass,
  'storage.updateStorageClass': storageClass,
  'topology.createResourcePool': pool,
  'topology.updateResourcePool': pool,
  'vault.createCapsule': [
    { payload: { data: Buffer.alloc(65_537).toString('base64') }, source: { secret_id: subnet_id } },
    { ttl: '1s' },
  ],
  'vault.createCertificate': [
    { pem_csr: 'none', config: {} },
    { lifetime: '1s' },
    { private_key_secret_name: 'key' },
    { config: { key_algorithm: 'VAULT_CRYPTO_KEY_ALGORITHM_HMAC_SHA256' }, private_key_secret_name: 'key' },
    { config: { key_algorithm: 'VAULT_CRYPTO_KEY_ALGORITHM_ED25519', public_key_pem: 'none' } },
    { config: { subject_alt_names: { dns_names: ['a.example', 'a_b.example'], uris: ['https:///none'] } } },
  ],
  'vault.createCertificateAuthority': [
    {},
    activated,
    { ...authority, key_algorithm: 'VAULT_CRYPTO_KEY_ALGORITHM_HMAC_SHA256', lifetime: '1s', maximum_lifetime: '1s' },
    { ...authority, parent_certificate_authority_id: subnet_id },
    {
      ...authority,
      crl_urls: ['http://acme.example/\u00e4.crl'],
      issuing_certificate_urls: ['http://acme.example/\u00e4.crt'],
    },
    { ...authority, name_constraints: { permitted_dns_names: ['*.a.example'], excluded_ip_ranges: ['10.0.0.1/8'] } },
  ],
  'vault.createCertificateTemplate': [...template, { default_lifetime: '86401s', maximum_lifetime: '86400s' }],
  'vault.updateCertificateTemplate': template,
  'vault.createSecret': secret,
  'vault.updateSecret': secret,
  'vault.createCryptoKey': [...cryptoKey, { next_rotation_time: '2100-01-01T00:00:00Z' }],
  'vault.updateCryptoKey': cryptoKey,
  'vault.encrypt': [lonelySum],
  'vault.decrypt': [lonelySum],
  'vault.reEncrypt': [lonelySum],
  'vault.generateDataEncryptionKey': [lonelySum],
  'vault.sign': [{ data_crc32c: 1 }],
  'vault.verify': [{ data_crc32c: 1 }],
  'iam.createBinding': [{ expire_time: past, scope_type: 'PLATFORM', scope_id: '' }],
  'iam.grantAccess': [{ expire_time: past }],
  'iam.createPolicy': [{ statements: [statement] }],
  'iam.updatePolicy': [{ statements: [statement] }],
  'iam.setMyAvatar': [{}],
  'iam.testPrincipalPermissions': [{ context: { ip: 'nowhere' } }],
  'iam.inviteUser': [
    ...profile,
    { grants: [{ role_id: subnet_id, scope_type: 'WORKSPACE', scope_id: '', expire_time: past }] },
    { token_ttl: '1s' },
  ],
  'iam.regenerateActivation': [{ token_ttl: '1s' }],
  'iam.resetUserPassword': [{ token_ttl: '1s' }],
  'iam.updateUser': profile,
  'iam.updateMyProfile': profile,
  'iam.refreshToken': [{}],
  'iam.revokeToken': [{ token: 'a', token_id: subnet_id }],
}
