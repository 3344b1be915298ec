# The image of the server, built from this repository: docker build --tag orders .
FROM node:26-bookworm-slim AS build
RUN npm install --global pnpm@12.21.0
WORKDIR /orders
# Downloads are repeated only when the lockfile changes.
COPY pnpm-lock.yaml pnpm-workspace.yaml ./
RUN pnpm fetch
COPY . .
RUN pnpm install --frozen-lockfile --offline
RUN pnpm build
# Without development dependencies, and without the embedded PostgreSQL.
RUN pnpm --filter @orders/server deploy --prod --no-optional /deployed

FROM node:26-bookworm-slim
LABEL org.opencontainers.image.title="Orders" \
      org.opencontainers.image.description="An orders HTTP API" \
      org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=3000
WORKDIR /app
COPY --from=build /orders/LICENSE ./
COPY --from=build /deployed/package.json ./
COPY --from=build /deployed/node_modules ./node_modules
COPY --from=build /deployed/dist ./dist
USER node
EXPOSE 3000
STOPSIGNAL SIGTERM
# With HTTPS the certificate is not for this name, and this connection does not leave the container.
HEALTHCHECK --interval=5s --timeout=4s --start-period=30s \
  CMD ["node", "--no-warnings", "-e", "const { PORT, TLS_CERT_FILE } = process.env; process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'; fetch(`${TLS_CERT_FILE ? 'https' : 'http'}://127.0.0.1:${PORT}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js"]
