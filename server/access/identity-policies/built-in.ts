/**
 * The managed policies that come with Strongroom: MinIO's by their names
 * (https://min.io/docs/minio/linux/administration/identity-access-management/policy-based-access-control.html), and those of
 * AWS that programs attach (https://docs.aws.amazon.com/aws-managed-policy/latest/reference/about-managed-policy-reference.html).
 */
interface BuiltIn {
  name: string
  description: string
  document: string
}

const allowing = (actions: readonly string[], resource: string): string =>
  JSON.stringify({
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Action: actions, Resource: [resource] }],
  })

const BUCKETS = 'arn:aws:s3:::*'

export const builtInPolicies: readonly BuiltIn[] = [
  {
    name: 'readonly',
    description: 'Reads every object; lists none.',
    document: allowing(['s3:GetBucketLocation', 's3:GetObject'], BUCKETS),
  },
  {
    name: 'readwrite',
    description: 'Everything in every bucket.',
    document: allowing(['s3:*'], BUCKETS),
  },
  {
    name: 'writeonly',
    description: 'Stores objects in every bucket; reads none.',
    document: allowing(['s3:PutObject'], BUCKETS),
  },
  {
    name: 'consoleAdmin',
    description: 'Everything that policies can allow; the settings of the service are for its administrators.',
    document: allowing(['s3:*', 'iam:*', 'sts:*'], '*'),
  },
  {
    name: 'diagnostics',
    description:
      'How many users, groups and policies there are; measurements of the service are not asked for with policies.',
    document: allowing(['iam:GetAccountSummary'], '*'),
  },
  {
    name: 'AmazonS3FullAccess',
    description: 'Everything in every bucket.',
    document: allowing(['s3:*'], '*'),
  },
  {
    name: 'AmazonS3ReadOnlyAccess',
    description: 'Reads and lists every bucket.',
    document: allowing(['s3:Get*', 's3:List*', 's3:Describe*'], '*'),
  },
  {
    name: 'IAMFullAccess',
    description: 'All users, groups, keys and policies.',
    document: allowing(['iam:*'], '*'),
  },
  {
    name: 'IAMReadOnlyAccess',
    description: 'Sees all users, groups, keys and policies.',
    document: allowing(['iam:Get*', 'iam:List*', 'iam:Simulate*'], '*'),
  },
]

const byName = new Map(builtInPolicies.map((one) => [one.name, one]))
/** The built-in policy of a name; undefined where there is none. */
export const findBuiltIn = (name: string): BuiltIn | undefined => byName.get(name)
