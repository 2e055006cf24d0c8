import { aptInstall, defineServiceKind } from "../service_kind.ts";

export default defineServiceKind({
  title: "MySQL or MariaDB",
  libraries: {
    npm: ["mysql", "mysql2", "mariadb"],
    python: ["pymysql", "mysqlclient", "mysql-connector-python", "aiomysql", "asyncmy", "mariadb"],
    go: ["github.com/go-sql-driver/mysql", "gorm.io/driver/mysql"],
    rust: ["mysql", "mysql_async"],
  },
  variables: /^(?:MYSQL|MARIADB)_(?:URL|URI|HOST|PORT|DSN)$/,
  sharedVariables: /^(?:DATABASE|DB)_(?:URL|URI|DSN)$/,
  schemes: ["mysql", "mysql2", "mariadb"],
  images: /^(?:mysql|mysql-server|mariadb|percona(?:-server)?)$/,
  port: 3306,
  setupScripts: [
    aptInstall("mariadb-server", "mariadb-client"),
    "install -d -o mysql /var/lib/pth-mysql && " +
    "mariadb-install-db --user=mysql --datadir=/var/lib/pth-mysql --auth-root-authentication-method=normal",
  ],
  definition: {
    name: "mysql",
    command: "exec mariadbd --no-defaults --user=mysql --datadir=/var/lib/pth-mysql --port={port} " +
      "--bind-address=127.0.0.1 --socket=/tmp/pth-mysql.sock",
    ready: "mariadb-admin --no-defaults -h 127.0.0.1 -P {port} -u root ping",
    setup: "mariadb --no-defaults -h 127.0.0.1 -P {port} -u root -e 'create database if not exists test'",
    url: "mysql://root@{host}:{port}/test",
  },
  variable: "DATABASE_URL",
});
