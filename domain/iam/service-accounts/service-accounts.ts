import { serviceAccountNotFound } from '../../../output/iam/errors.ts'
import type { ServiceAccountHandlers } from '../../../output/iam/handlers.ts'
import type { GetServiceAccountRequest, ListServiceAccountsRequest, ServiceAccount } from '../../../output/iam/types.ts'
import type { ListContext } from '../../../runtime/context.ts'
import type { Answer } from '../../../runtime/json.ts'
import type { Page } from '../../../runtime/pagination.ts'
import { seenBy } from '../../ports/access.ts'
import type { IamEnvironment } from '../interfaces/iam-environment.ts'
import { serviceAccounts } from '../collections/service-accounts-store.ts'

/**
 * Serves service accounts, the principals of programs (iam.md 1). Only the platform and commands on the host create
 * service accounts.
 */
export class ServiceAccounts implements ServiceAccountHandlers {
  readonly #parts: Pick<IamEnvironment, 'access' | 'store'>

  constructor(parts: Pick<IamEnvironment, 'access' | 'store'>) {
    this.#parts = parts
  }

  async listServiceAccounts(_request: ListServiceAccountsRequest, context: ListContext): Promise<Page<ServiceAccount>> {
    const { access, store } = this.#parts
    const visible = await access.visible(context, 'iam.serviceAccounts.list')
    return store.list(serviceAccounts, context.query, seenBy(visible, 'workspace_id'))
  }

  async getServiceAccount({ id }: GetServiceAccountRequest): Promise<Answer<ServiceAccount>> {
    const stored = await this.#parts.store.get(serviceAccounts, id)
    if (stored) return stored.text
    throw serviceAccountNotFound(`service account ${id} does not exist`, {
      resource: { type: 'iam.serviceAccounts', name: id },
    })
  }
}
