# docker build -t lexigraph .
# docker run -p 4000:4000 -v lexigraph:/data lexigraph
FROM node:24-slim AS build
WORKDIR /build
COPY . .
# The package is what npm would publish; its dependencies are those of the lock file.
RUN npm ci && npm pack && mkdir /app && tar -xzf lexigraph-*.tgz -C /app --strip-components 1 \
  && cp package-lock.json /app && cd /app && npm ci --omit=dev --ignore-scripts

FROM node:24-slim
COPY --from=build /app /app
RUN ln -s /app/bin/lexigraph.js /usr/local/bin/lexigraph && install -d -o node -g node /data
USER node
WORKDIR /data
VOLUME /data
ENV NODE_ENV=production LEXIGRAPH_HOST=0.0.0.0
EXPOSE 4000
STOPSIGNAL SIGTERM
# Whether the process is up: a database that is away is no reason to start it anew. /readyz tells about that.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.LEXIGRAPH_PORT || 4000}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["lexigraph"]
CMD ["serve"]
