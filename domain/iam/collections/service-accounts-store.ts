import { serviceAccountsList } from '../../../output/iam/filters.ts'
import type { Principal, ServiceAccount } from '../../../output/iam/types.ts'
import { fieldInvalid } from '../../../output/shared/errors.ts'
import type { Collection } from '../../ports/store.ts'

/** The service accounts. A stored account equals the account in responses. */
export const serviceAccounts: Collection<ServiceAccount> = {
  name: 'iam_service_accounts',
  id: 'id',
  list: serviceAccountsList,
  uniques: [
    {
      fields: ['workspace_id', 'name'],
      taken: ({ name }) => {
        const description = `must be another name: the workspace has a service account named ${name} already`
        return fieldInvalid(`name ${description}`, { badRequest: [{ field: 'name', description }] })
      },
    },
  ],
}

/** Returns the directory row of a service account. */
export const principalOfServiceAccount = (account: ServiceAccount): Principal => ({
  id: account.id,
  kind: 'SERVICE_ACCOUNT',
  display_name: account.display_name,
  email: '',
  name: account.name,
  organisation_id: account.organisation_id,
  workspace_id: account.workspace_id,
  status: account.status,
  created: account.created,
  updated: account.updated,
})
