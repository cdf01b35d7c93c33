{{- define "sett.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 53 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 53 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "sett.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "sett.labels" -}}
{{ include "sett.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{/* The pod is the same with both databases, but for its volumes and what names them. */}}
{{- define "sett.pod" -}}
metadata:
  labels: {{- include "sett.labels" . | nindent 4 }}
  {{- with .Values.podAnnotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  automountServiceAccountToken: false # sett does not use Kubernetes; the token of a role in the cloud is mounted by the cloud
  {{- if or .Values.serviceAccount.name .Values.serviceAccount.annotations }}
  serviceAccountName: {{ .Values.serviceAccount.name | default (include "sett.name" .) }}
  {{- end }}
  enableServiceLinks: false # their variables would begin with SETT_
  terminationGracePeriodSeconds: 60
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets: {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 65532
    runAsGroup: 65532
    fsGroup: 65532
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile: {type: RuntimeDefault}
  containers:
    - name: sett
      image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args: [serve]
      env:
        - {name: SETT_LISTEN, value: ":8080"}
        - {name: SETT_DATA, value: /var/lib/sett}
        {{- if .Values.database.secret }}
        - {name: SETT_DATABASE_FILE, value: /run/secrets/database/url}
        {{- if .Values.database.directKey }}
        - {name: SETT_DATABASE_DIRECT_FILE, value: /run/secrets/database/direct}
        {{- end }}
        {{- if .Values.database.readKey }}
        - {name: SETT_DATABASE_READ_FILE, value: /run/secrets/database/read}
        {{- end }}
        - {name: SETT_SPOOL_BYTES, value: {{ int64 .Values.spoolBytes | quote }}}
        {{- end }}
        {{- if .Values.blocks.address }}
        - {name: SETT_BLOCKS, value: {{ .Values.blocks.address | quote }}}
        - {name: SETT_BLOCK_CACHE_BYTES, value: {{ int64 .Values.blocks.cacheBytes | quote }}}
        {{- with .Values.blocks.secret }}
        - {name: AWS_ACCESS_KEY_ID, valueFrom: {secretKeyRef: {name: {{ . }}, key: AWS_ACCESS_KEY_ID}}}
        - {name: AWS_SECRET_ACCESS_KEY, valueFrom: {secretKeyRef: {name: {{ . }}, key: AWS_SECRET_ACCESS_KEY}}}
        {{- end }}
        {{- end }}
        {{- if .Values.secretKey.secret }}
        - {name: SETT_SECRET_KEY_FILE, value: /run/secrets/key/secret.key}
        {{- end }}
        {{- range $name, $value := .Values.settings }}
        - {name: {{ $name }}, value: {{ $value | toString | quote }}}
        {{- end }}
      {{- with .Values.settingsFrom }}
      envFrom: {{- toYaml . | nindent 8 }}
      {{- end }}
      ports:
        - {name: http, containerPort: 8080}
      # A migration of a large database may take hours before the port opens.
      startupProbe: {httpGet: {path: /healthz, port: http}, periodSeconds: 5, failureThreshold: 2880}
      livenessProbe: {httpGet: {path: /healthz, port: http}, periodSeconds: 10, failureThreshold: 6, timeoutSeconds: 5}
      # Without its database a pod keeps reports in its spool, so it still takes requests.
      readinessProbe: {httpGet: {path: {{ if .Values.database.secret }}/readyz/reports{{ else }}/readyz{{ end }}, port: http}, periodSeconds: 5, timeoutSeconds: 5}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: {drop: [ALL]}
      resources: {{- toYaml .Values.resources | nindent 8 }}
      volumeMounts:
        - {name: data, mountPath: /var/lib/sett}
        {{- if .Values.database.secret }}
        - {name: database, mountPath: /run/secrets/database, readOnly: true}
        {{- end }}
        {{- if .Values.secretKey.secret }}
        - {name: key, mountPath: /run/secrets/key, readOnly: true}
        {{- end }}
  {{- if or .Values.database.secret .Values.secretKey.secret }}
  volumes:
    {{- if .Values.database.secret }}
    - {name: data, emptyDir: {sizeLimit: {{ .Values.storage.size }}}}
    - name: database
      secret:
        secretName: {{ .Values.database.secret }}
        items:
          - {key: {{ .Values.database.key }}, path: url}
          {{- with .Values.database.directKey }}
          - {key: {{ . }}, path: direct}
          {{- end }}
          {{- with .Values.database.readKey }}
          - {key: {{ . }}, path: read}
          {{- end }}
    {{- end }}
    {{- if .Values.secretKey.secret }}
    - {name: key, secret: {secretName: {{ .Values.secretKey.secret }}, items: [{key: {{ .Values.secretKey.key }}, path: secret.key}]}}
    {{- end }}
  {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
