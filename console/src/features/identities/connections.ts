/** How programs take on a role, ready to paste. */
export const connections = ({ endpoint, region, arn }: { endpoint: string; region: string; arn: string }) => ({
  '.env': `AWS_ENDPOINT_URL=${endpoint}
AWS_REGION=${region}
AWS_ROLE_ARN=${arn}
AWS_WEB_IDENTITY_TOKEN_FILE=/var/run/secrets/tokens/s3`,
  Kubernetes: `apiVersion: v1
kind: Pod
metadata:
  name: app
spec:
  containers:
    - name: app
      image: my-app
      env:
        - { name: AWS_ENDPOINT_URL, value: ${endpoint} }
        - { name: AWS_REGION, value: ${region} }
        - { name: AWS_ROLE_ARN, value: "${arn}" }
        - { name: AWS_WEB_IDENTITY_TOKEN_FILE, value: /var/run/secrets/tokens/s3 }
      volumeMounts:
        - { name: token, mountPath: /var/run/secrets/tokens }
  volumes:
    - name: token
      projected:
        sources:
          - serviceAccountToken: { path: s3, audience: sts.amazonaws.com, expirationSeconds: 3600 }`,
  'GitHub Actions': `permissions:
  id-token: write
jobs:
  deploy:
    runs-on: ubuntu-latest
    env:
      AWS_ENDPOINT_URL: ${endpoint}
      AWS_REGION: ${region}
      AWS_ROLE_ARN: ${arn}
      AWS_WEB_IDENTITY_TOKEN_FILE: /tmp/token
    steps:
      - run: >-
          curl -sf -H "Authorization: Bearer $ACTIONS_ID_TOKEN_REQUEST_TOKEN"
          "$ACTIONS_ID_TOKEN_REQUEST_URL&audience=sts.amazonaws.com" | jq -r .value > /tmp/token
      - run: aws s3 ls`,
  'AWS CLI': `aws --endpoint-url ${endpoint} sts assume-role \\
  --role-arn ${arn} --role-session-name me`,
})
