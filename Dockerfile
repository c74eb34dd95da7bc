# docker build -t lexigraph .
# docker run -p 4000:4000 -v lexigraph:/data lexigraph
FROM node:24-slim AS build
WORKDIR /build
# What changes seldom comes first, here and below: the layers of packages are kept while only sources change.
COPY package.json package-lock.json ./
# The script after an install looks for a Node, which this image has.
RUN npm ci --ignore-scripts
COPY . .
RUN node build/package.ts --folder --installed

FROM node:24-slim
COPY --from=build /build/dist/node_modules /app/node_modules
COPY --from=build /build/dist/package /app
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
