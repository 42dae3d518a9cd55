/** The administrator of a service that is measured. */
export const WHO = { username: 'bench@example.com', password: 'password of the benchmarks' }

/** The environment of a service that is measured, with its data in a folder, and by default its database too. */
export const serviceEnv = (folder: string, databaseUrl = `sqlite:${folder}/strongroom.db`) => ({
  SECRET_KEY: 'the secret key of the benchmarks, long enough',
  DATA_DIR: folder,
  DATABASE_URL: databaseUrl,
  PORT: '0',
  LOG_LEVEL: 'warn',
  BOOTSTRAP_ADMIN_EMAIL: WHO.username,
  BOOTSTRAP_ADMIN_PASSWORD: WHO.password,
})
