# The packages for the JVM from a repository in a folder, in a new project of Maven.
mkdir -p /tmp/repository /tmp/new/src/main/java
unzip -q /dist/hashlanes-maven-v*.zip -d /tmp/repository
version=$(ls /tmp/repository/hashlanes/hashlanes)
jar=/tmp/repository/hashlanes/hashlanes/$version/hashlanes-$version.jar
for platform in x86_64 x86_64-musl aarch64 aarch64-musl; do
    unzip -qo "$jar" "hashlanes/native/linux-$platform/*" -d /tmp/jar
    cd "/tmp/jar/hashlanes/native/linux-$platform"
    [ "$(sha256sum <libhashlanes_jvm.so)" = "$(cat libhashlanes_jvm.so.sha256)  -" ]
done
unzip -qo "$jar" "hashlanes/native/*" -d /tmp/jar
has_notices /tmp/jar/hashlanes/native ^zeroize
for package in hashlanes hashlanes-spark-3.5_2.12 hashlanes-spark-3.5_2.13 hashlanes-spark-4.0_2.13; do
    for part in .pom .jar -sources.jar; do
        test -s "/tmp/repository/hashlanes/$package/$version/$package-$version$part"
    done
done
cd /tmp/new
cat >src/main/java/New.java <<EOF
import hashlanes.*;
import java.security.*;

public class New {
    public static void main(String[] arguments) throws Exception {
        byte[][] messages = {"abc".getBytes(), {}};
        Security.insertProviderAt(new HashlanesProvider(), 1);
        byte[] one = MessageDigest.getInstance("SHA3-256").digest(messages[0]);
        boolean same = MessageDigest.isEqual(one,
                Digests.many(Algorithm.SHA3_256, messages).get(0));
        System.out.println(Hashlanes.isNative() + " " + same + " "
                + Digests.many(Algorithm.of("sha-1"), messages).toHex()[0]);
    }
}
EOF
cat >pom.xml <<EOF
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>new</groupId><artifactId>new</artifactId><version>1</version>
  <properties>
    <maven.compiler.source>17</maven.compiler.source>
    <maven.compiler.target>17</maven.compiler.target>
  </properties>
  <repositories>
    <repository><id>folder</id><url>file:///tmp/repository</url></repository>
  </repositories>
  <dependencies>
    <dependency>
      <groupId>hashlanes</groupId><artifactId>hashlanes</artifactId><version>$version</version>
    </dependency>
  </dependencies>
</project>
EOF
timed mvn -q -B compile
digest=a9993e364706816aba3e25717850c26c9cd0d89d
[ "$(java -cp "target/classes:$jar" New)" = "true true $digest" ]
