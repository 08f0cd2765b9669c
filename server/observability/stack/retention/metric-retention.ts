import { MemberClient } from '../member-client.ts'
import type { RequestCounts } from '../stack-counts.ts'
import { MemberTexts, readRetention } from './member-texts.ts'
import { mimirRetention } from './mimir-retention.ts'
import { prometheusRetention } from './prometheus-retention.ts'
import type { RetentionSource } from './stack-retention.ts'
import { victoriaRetention } from './victoria-retention.ts'

/**
 * Returns the source of the retention of metrics in Prometheus, Mimir and VictoriaMetrics; Thanos does not tell its own.
 * `root` is a client without the prefix of the API of Prometheus, as Mimir and VictoriaMetrics have their pages there.
 */
export const metricRetention =
  (client: MemberClient, root: MemberClient): RetentionSource =>
  (workspace, caller) =>
    readRetention(client, 'Prometheus', async () => {
      const pages = new MemberTexts(root, workspace, caller)
      return (
        (await prometheusRetention(new MemberTexts(client, workspace, caller))) ??
        (await mimirRetention(pages)) ??
        (await victoriaRetention(pages))
      )
    })

/** Returns the client of a member without the prefix of the API of Prometheus that Mimir and VictoriaMetrics have. */
export const withoutPrefix = ({ member }: MemberClient, counts: RequestCounts): MemberClient =>
  new MemberClient({ ...member, url: member.url.replace(/\/prometheus\/*$/, '') }, counts)
