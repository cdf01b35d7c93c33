import "./instrument";
import { Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import * as Sentry from "@sentry/nestjs";
import { AppModule } from "./app.module";
import { Shop } from "./shop";

@Module({ imports: [AppModule], controllers: [Shop] })
class Main {}

async function main() {
  const app = await NestFactory.create(Main, { logger: false });
  await app.listen(0, "127.0.0.1");
  await fetch((await app.getUrl()) + "/sett-test");
  await Sentry.flush(20000);
  process.exit(0);
}
main();
