{{- define "strongroom.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{/* At most 50 characters: suffixes follow, and StatefulSets add a hash to the names of their pods. */}}
{{- define "strongroom.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains (include "strongroom.name" .) .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "strongroom.name" .) | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "strongroom.selector" -}}
app.kubernetes.io/name: {{ include "strongroom.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "strongroom.labels" -}}
{{ include "strongroom.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* The component that answers requests. */}}
{{- define "strongroom.front" -}}
{{- ternary "web" "server" (eq .Values.mode "scale") -}}
{{- end -}}

{{- define "strongroom.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- define "strongroom.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{ .Values.serviceAccount.name | default (include "strongroom.fullname" .) }}
{{- else -}}
{{ .Values.serviceAccount.name | default "default" }}
{{- end -}}
{{- end -}}

{{- define "strongroom.secretName" -}}
{{ .Values.secrets.existingSecret | default (include "strongroom.fullname" .) }}
{{- end -}}

{{/* A scalar as an environment variable has it: Helm reads 1073741824 as 1.073741824e+09. */}}
{{- define "strongroom.text" -}}
{{- if and (kindIs "float64" .) (eq (floor .) .) -}}
{{ int64 . }}
{{- else -}}
{{ . }}
{{- end -}}
{{- end -}}

{{/* Not empty if a variable has a value, or may have one in a Secret that the chart cannot read. */}}
{{- define "strongroom.given" -}}
{{- $values := .root.Values -}}
{{- if or $values.secrets.existingSecret $values.extraEnvFrom (hasKey $values.config .name) (hasKey $values.secrets.values .name) -}}
yes
{{- end -}}
{{- range $values.extraEnv }}{{ if eq .name $.name }}yes{{ end }}{{ end -}}
{{- end -}}

{{/* Refuses values that cannot work, or that would put a secret where everyone reads it. */}}
{{- define "strongroom.check" -}}
{{- $values := .Values -}}
{{- if and $values.secrets.existingSecret $values.secrets.values -}}
{{- fail "Set either secrets.existingSecret or secrets.values, not both." -}}
{{- end -}}
{{- if not (include "strongroom.given" (dict "root" . "name" "SECRET_KEY")) -}}
{{- fail "SECRET_KEY is required: set secrets.existingSecret to the name of a Secret that has it, or secrets.values.SECRET_KEY to at least 32 random characters." -}}
{{- end -}}
{{- with $values.secrets.values.SECRET_KEY -}}
{{- if lt (len .) 32 -}}{{- fail "secrets.values.SECRET_KEY must have at least 32 characters." -}}{{- end -}}
{{- end -}}
{{- range $name := list "PORT" "S3_PORT" "DATA_DIR" "DRAIN_SECONDS" -}}
{{- if hasKey $values.config $name -}}
{{- fail (printf "The chart sets %s itself. Ports: service.port, service.s3Port and s3.enabled; stopping: drainSeconds." $name) -}}
{{- end -}}
{{- end -}}
{{- range $name, $value := $values.config -}}
{{- if or (regexMatch "(SECRET|PASSWORD|TOKEN$|_HEADERS$)" $name) (regexMatch "://[^/?#]*:[^/?#]*@" (include "strongroom.text" $value)) -}}
{{- fail (printf "config.%s is a secret, or contains one: it belongs in secrets." $name) -}}
{{- end -}}
{{- end -}}
{{- if eq $values.mode "scale" -}}
{{- range $name := list "DATABASE_URL" "STORAGE_URL" -}}
{{- if not (include "strongroom.given" (dict "root" $ "name" $name)) -}}
{{- fail (printf "mode scale needs %s: PostgreSQL and an S3 engine are what its pods share." $name) -}}
{{- end -}}
{{- end -}}
{{- range $from := list $values.config $values.secrets.values -}}
{{- if and $from.DATABASE_URL (not (regexMatch "^postgres(ql)?://" $from.DATABASE_URL)) -}}
{{- fail "mode scale needs PostgreSQL: DATABASE_URL must start with postgres://. For SQLite, use mode single." -}}
{{- end -}}
{{- if and $from.STORAGE_URL (not (hasPrefix "s3://" $from.STORAGE_URL)) -}}
{{- fail "mode scale needs an S3 engine: STORAGE_URL must start with s3://. For files, use mode single." -}}
{{- end -}}
{{- end -}}
{{- if le (int $values.terminationGracePeriodSeconds) (int $values.drainSeconds) -}}
{{- fail "terminationGracePeriodSeconds must exceed drainSeconds: pods would be killed while they drain." -}}
{{- end -}}
{{- else if $values.upgradeJob.enabled -}}
{{- fail "upgradeJob needs mode scale: in mode single, the volume belongs to the running pod." -}}
{{- end -}}
{{- if $values.ingress.enabled -}}
{{- if not $values.ingress.host -}}{{- fail "ingress.host is required." -}}{{- end -}}
{{- if and $values.ingress.s3.host (not $values.s3.enabled) -}}{{- fail "ingress.s3.host needs s3.enabled." -}}{{- end -}}
{{- if and $values.ingress.s3.wildcard (not $values.ingress.s3.host) -}}{{- fail "ingress.s3.wildcard needs ingress.s3.host." -}}{{- end -}}
{{- if eq $values.ingress.host $values.ingress.s3.host -}}{{- fail "ingress.host and ingress.s3.host must differ: both serve all paths." -}}{{- end -}}
{{- end -}}
{{- if and $values.serviceMonitor.enabled (not $values.serviceMonitor.tokenSecretName) (ne (toString $values.config.METRICS) "open") -}}
{{- if not (include "strongroom.given" (dict "root" . "name" $values.serviceMonitor.tokenSecretKey)) -}}
{{- fail (printf "serviceMonitor needs %s in the Secret: at least 16 random characters." $values.serviceMonitor.tokenSecretKey) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Variables of every container; what the ingress implies comes first, so that config can replace it. */}}
{{- define "strongroom.env" -}}
{{- $root := .root -}}
{{- $values := $root.Values -}}
{{- $env := dict "HOST" "0.0.0.0" -}}
{{- if $values.ingress.enabled -}}
{{- $scheme := ternary "https" "http" $values.ingress.tls.enabled -}}
{{- $_ := set $env "PUBLIC_BASE_URL" (printf "%s://%s" $scheme $values.ingress.host) -}}
{{- with $values.ingress.s3.host -}}
{{- $_ := set $env "S3_PUBLIC_URL" (printf "%s://%s" $scheme .) -}}
{{- if $values.ingress.s3.wildcard -}}{{- $_ := set $env "S3_DOMAIN" . -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- range $name, $value := $values.config -}}
{{- $_ := set $env $name (include "strongroom.text" $value) -}}
{{- end -}}
{{- $_ := set $env "PORT" "8080" -}}
{{- $_ := set $env "DATA_DIR" "/data" -}}
{{- $_ := set $env "S3_PORT" (ternary "9000" "" (and $values.s3.enabled .s3)) -}}
{{- $_ := set $env "DRAIN_SECONDS" (ternary (toString $values.drainSeconds) "0" (eq $values.mode "scale")) -}}
{{- range $values.extraEnv }}{{ $_ := unset $env .name }}{{ end -}}
{{- range $name, $value := $env }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- with $values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/*
A pod's metadata and spec. root; component; args; resources; s3: whether it has the S3 port; probes: whether it serves;
data: the volume at /data.
*/}}
{{- define "strongroom.pod" -}}
{{- $root := .root -}}
{{- $values := $root.Values -}}
metadata:
  labels:
    {{- include "strongroom.selector" $root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
    {{- with $values.commonLabels }}{{ toYaml . | nindent 4 }}{{ end }}
    {{- with $values.podLabels }}{{ toYaml . | nindent 4 }}{{ end }}
  annotations:
    {{- if and .probes $values.secrets.values }}
    # A changed Secret replaces the pods.
    checksum/secret: {{ $values.secrets.values | toJson | sha256sum }}
    {{- end }}
    kubectl.kubernetes.io/default-container: strongroom
    {{- with $values.podAnnotations }}{{ toYaml . | nindent 4 }}{{ end }}
spec:
  serviceAccountName: {{ include "strongroom.serviceAccountName" $root }}
  automountServiceAccountToken: false
  # Kubernetes would set variables such as S3_PORT for a Service that is called s3.
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ $values.terminationGracePeriodSeconds }}
  securityContext:
    {{- toYaml $values.podSecurityContext | nindent 4 }}
  {{- with $values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- with $values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if and .probes (eq $values.mode "scale") $values.topologySpreadConstraints }}
  topologySpreadConstraints:
    {{- range $values.topologySpreadConstraints }}
    {{- $labels := merge (fromYaml (include "strongroom.selector" $root)) (dict "app.kubernetes.io/component" $.component) }}
    {{- toYaml (list (merge (deepCopy .) (dict "labelSelector" (dict "matchLabels" $labels)))) | nindent 4 }}
    {{- end }}
  {{- end }}
  {{- if not .probes }}
  restartPolicy: Never
  {{- end }}
  containers:
    - name: strongroom
      image: {{ include "strongroom.image" $root | quote }}
      imagePullPolicy: {{ $values.image.pullPolicy }}
      args: {{ toJson .args }}
      securityContext:
        {{- toYaml $values.securityContext | nindent 8 }}
      {{- $secret := or $values.secrets.existingSecret $values.secrets.values }}
      {{- if or $secret $values.extraEnvFrom }}
      envFrom:
        {{- if $secret }}
        - secretRef: { name: {{ include "strongroom.secretName" $root }} }
        {{- end }}
        {{- with $values.extraEnvFrom }}{{ toYaml . | nindent 8 }}{{ end }}
      {{- end }}
      env:
        {{- include "strongroom.env" (dict "root" $root "s3" .s3) | trim | nindent 8 }}
      {{- if .probes }}
      ports:
        - { name: http, containerPort: 8080 }
        {{- if and .s3 $values.s3.enabled }}
        - { name: s3, containerPort: 9000 }
        {{- end }}
      startupProbe:
        httpGet: { path: /healthz, port: http }
        {{- toYaml $values.probes.startup | nindent 8 }}
      livenessProbe:
        httpGet: { path: /healthz, port: http }
        {{- toYaml $values.probes.liveness | nindent 8 }}
      readinessProbe:
        httpGet: { path: /readyz, port: http }
        {{- toYaml $values.probes.readiness | nindent 8 }}
      {{- end }}
      resources:
        {{- toYaml .resources | nindent 8 }}
      volumeMounts:
        - { name: data, mountPath: /data }
        - { name: tmp, mountPath: /tmp }
        {{- with $values.extraVolumeMounts }}{{ toYaml . | nindent 8 }}{{ end }}
  volumes:
    {{- with .data }}
    {{- toYaml (list .) | nindent 4 }}
    {{- end }}
    - { name: tmp, emptyDir: {} }
    {{- with $values.extraVolumes }}{{ toYaml . | nindent 4 }}{{ end }}
{{- end -}}
