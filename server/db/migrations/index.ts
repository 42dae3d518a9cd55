import type { Migration } from 'kysely'
import { initial } from './0001-initial/index.ts'
import { inlineBodies } from './0002-inline-bodies-breaking.ts'
import { whatABlobKnows } from './0003-what-a-blob-knows-breaking.ts'
import { pagesBySizeAndTime } from './0004-pages-by-size-and-time.ts'
import { partsOfAnySize } from './0005-parts-of-any-size.ts'
import { accessKeys } from './0006-access-keys.ts'
import { uploadsByKey } from './0007-uploads-by-key.ts'
import { bucketConfig } from './0008-bucket-config.ts'
import { lifecyclePolicies } from './0009-lifecycle-policies-breaking.ts'
import { versions } from './0010-versions-breaking.ts'
import { policiesOfVersions } from './0011-policies-of-versions-breaking.ts'
import { objectLock } from './0012-object-lock-breaking.ts'
import { webhookFormat } from './0013-webhook-format.ts'
import { publicAccess } from './0014-public-access-breaking.ts'
import { markersOfJobs } from './0015-markers-of-jobs.ts'
import { storages } from './0016-storages-breaking.ts'
import { attached } from './0017-attached-breaking.ts'
import { takenOver } from './0018-taken-over-breaking.ts'
import { keptLinks } from './0019-kept-links.ts'
import { secondFactor } from './0020-second-factor.ts'
import { messagesOfLinks } from './0021-messages-of-links.ts'
import { quotaWarnings } from './0022-quota-warnings.ts'
import { invitations } from './0023-invitations.ts'
import { sendersOfUploads } from './0024-senders-of-uploads.ts'
import { mail } from './0025-mail.ts'
import { siteLogo } from './0026-site-logo.ts'
import { auditByResource } from './0027-audit-by-resource.ts'
import { language } from './0028-language.ts'
import { restoreOfRuns } from './0029-restore-of-runs.ts'
import { passwordGenerated } from './0030-password-generated.ts'
import { tokenScope } from './0031-token-scope-breaking.ts'
import { clockGap } from './0032-clock-gap.ts'
import { checksumsOfParts } from './0033-checksums-of-parts.ts'
import { keyOrder } from './0036-key-order.ts'
import { revision } from './0037-revision.ts'
import { encryption } from './0040-encryption-breaking.ts'
import { encryptedUsage } from './0041-encrypted-usage.ts'
import { sumsOfSegments } from './0043-sums-of-segments.ts'
import { mirrors } from './0044-mirrors-breaking.ts'
import { epoch } from './0045-epoch.ts'
import { policies } from './0046-policies-breaking.ts'
import { moments } from './0047-moments-breaking.ts'
import { rollbacks } from './0048-rollbacks-breaking.ts'
import { snapshots } from './0049-snapshots-breaking.ts'
import { identityPolicies } from './0050-identity-policies-breaking.ts'
import { roles } from './0051-roles-breaking.ts'
import { replication } from './0052-replication.ts'
import { merges } from './0053-merges.ts'
import { formerVersions } from './0054-former-versions.ts'
import { agents } from './0055-agents.ts'
import { wordsOfObjects } from './0057-words-of-objects.ts'
import { inventories } from './0058-inventories.ts'
import { scheduledSnapshots } from './0059-scheduled-snapshots-breaking.ts'
import { plans } from './0061-plans.ts'
import { wordsInTheBackground } from './0062-words-in-the-background.ts'
import { lockedMirrors } from './0063-locked-mirrors.ts'
import { revisions } from './0066-revisions.ts'
import { oauth } from './0067-oauth.ts'
import { signIn } from './0068-sign-in.ts'
import { historyQuota } from './0069-history-quota.ts'
import type { ColumnTypes } from './types.ts'

/** Every migration by its name, in order. One that was released is never edited, and a new one only adds. */
export const migrations: { [name: string]: (types: ColumnTypes) => Migration } = {
  '0001-initial': initial,
  '0002-inline-bodies-breaking': inlineBodies,
  '0003-what-a-blob-knows-breaking': whatABlobKnows,
  '0004-pages-by-size-and-time': pagesBySizeAndTime,
  '0005-parts-of-any-size': partsOfAnySize,
  '0006-access-keys': accessKeys,
  '0007-uploads-by-key': uploadsByKey,
  '0008-bucket-config': bucketConfig,
  '0009-lifecycle-policies-breaking': lifecyclePolicies,
  '0010-versions-breaking': versions,
  '0011-policies-of-versions-breaking': policiesOfVersions,
  '0012-object-lock-breaking': objectLock,
  '0013-webhook-format': webhookFormat,
  '0014-public-access-breaking': publicAccess,
  '0015-markers-of-jobs': markersOfJobs,
  '0016-storages-breaking': storages,
  '0017-attached-breaking': attached,
  '0018-taken-over-breaking': takenOver,
  '0019-kept-links': keptLinks,
  '0020-second-factor': secondFactor,
  '0021-messages-of-links': messagesOfLinks,
  '0022-quota-warnings': quotaWarnings,
  '0023-invitations': invitations,
  '0024-senders-of-uploads': sendersOfUploads,
  '0025-mail': mail,
  '0026-site-logo': siteLogo,
  '0027-audit-by-resource': auditByResource,
  '0028-language': language,
  '0029-restore-of-runs': restoreOfRuns,
  '0030-password-generated': passwordGenerated,
  '0031-token-scope-breaking': tokenScope,
  '0032-clock-gap': clockGap,
  '0033-checksums-of-parts': checksumsOfParts,
  '0036-key-order': keyOrder,
  '0037-revision': revision,
  '0040-encryption-breaking': encryption,
  '0041-encrypted-usage': encryptedUsage,
  '0043-sums-of-segments': sumsOfSegments,
  '0044-mirrors-breaking': mirrors,
  '0045-epoch': epoch,
  '0046-policies-breaking': policies,
  '0047-moments-breaking': moments,
  '0048-rollbacks-breaking': rollbacks,
  '0049-snapshots-breaking': snapshots,
  '0050-identity-policies-breaking': identityPolicies,
  '0051-roles-breaking': roles,
  '0052-replication': replication,
  '0053-merges': merges,
  '0054-former-versions': formerVersions,
  '0055-agents': agents,
  '0057-words-of-objects': wordsOfObjects,
  '0058-inventories': inventories,
  '0059-scheduled-snapshots-breaking': scheduledSnapshots,
  '0061-plans': plans,
  '0062-words-in-the-background': wordsInTheBackground,
  '0063-locked-mirrors': lockedMirrors,
  '0066-revisions': revisions,
  '0067-oauth': oauth,
  '0068-sign-in': signIn,
  '0069-history-quota': historyQuota,
}
