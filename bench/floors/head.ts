import Fastify from 'fastify'

/** The floor of a request that only looks: a bare Fastify. */
const app = Fastify()
app.head('/', async (_request, reply) => reply.header('content-length', 4096).send())
await app.listen({ host: '127.0.0.1', port: 0 })
process.stdout.write(`${JSON.stringify(app.server.address())}\n`)
