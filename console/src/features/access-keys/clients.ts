import { quoted } from '../../shell-quote.ts'

/** What a client needs to know. */
export interface Connection {
  endpoint: string
  region: string
  /** `my-bucket` where none is chosen. */
  bucket: string
  accessKeyId: string
  secret: string
  /** Without clients that only write. */
  readOnly?: boolean
}

/** Commands that make a bucket a website: its documents, what anyone can read, and what is on it. */
export const websiteCommands = (endpoint: string, bucket: string) => {
  const aws = `aws --profile strongroom --endpoint-url ${endpoint}`
  const policy = {
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: `arn:aws:s3:::${bucket}/*` }],
  }
  return {
    'AWS CLI': `${aws} s3 website s3://${bucket} --index-document index.html --error-document error.html
${aws} s3 sync site/ s3://${bucket}
${aws} s3api put-bucket-policy --bucket ${bucket} --policy ${quoted(JSON.stringify(policy))}

# ${aws} s3api get-bucket-website --bucket ${bucket}
# ${aws} s3api delete-bucket-website --bucket ${bucket}`,
  }
}

/**
 * Settings and a first call for each client, ready to paste. The AWS CLI and boto3 presign URLs with Signature Version 2
 * in the region us-east-1 unless they are told otherwise.
 */
export const settingsOf = ({ endpoint, region, bucket, accessKeyId, secret, readOnly = false }: Connection) => ({
  'AWS CLI': `aws configure set aws_access_key_id ${accessKeyId} --profile strongroom
aws configure set aws_secret_access_key ${quoted(secret)} --profile strongroom
aws configure set region ${region} --profile strongroom
aws configure set s3.signature_version s3v4 --profile strongroom

aws --profile strongroom --endpoint-url ${endpoint} s3 ls s3://${bucket}`,
  rclone: `# ~/.config/rclone/rclone.conf
[strongroom]
type = s3
provider = Other
endpoint = ${endpoint}
region = ${region}
access_key_id = ${accessKeyId}
secret_access_key = ${secret}

# rclone lsf strongroom:${bucket}`,
  'boto3 (Python)': `import boto3
from botocore.config import Config

s3 = boto3.client(
    "s3",
    endpoint_url=${JSON.stringify(endpoint)},
    region_name=${JSON.stringify(region)},
    aws_access_key_id=${JSON.stringify(accessKeyId)},
    aws_secret_access_key=${JSON.stringify(secret)},
    config=Config(signature_version="s3v4"),
)
print(s3.list_objects_v2(Bucket=${JSON.stringify(bucket)})["KeyCount"])`,
  'AWS SDK (JavaScript)': `import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'

const s3 = new S3Client({
  endpoint: '${endpoint}',
  region: '${region}',
  forcePathStyle: true,
  credentials: { accessKeyId: '${accessKeyId}', secretAccessKey: '${secret}' },
})
const { KeyCount } = await s3.send(new ListObjectsV2Command({ Bucket: '${bucket}' }))
console.log(KeyCount)`,
  ...(readOnly
    ? {}
    : {
        restic: `export AWS_ACCESS_KEY_ID=${accessKeyId}
export AWS_SECRET_ACCESS_KEY=${quoted(secret)}
export AWS_DEFAULT_REGION=${region}

restic -r s3:${endpoint}/${bucket}/restic init`,
      }),
  s3fs: `(umask 077; echo ${quoted(`${accessKeyId}:${secret}`)} > ~/.passwd-strongroom)

s3fs ${bucket} /mnt/${bucket} -o url=${endpoint} -o endpoint=${region} \\
  -o use_path_request_style -o passwd_file=~/.passwd-strongroom${readOnly ? ' -o ro' : ''}`,
})
