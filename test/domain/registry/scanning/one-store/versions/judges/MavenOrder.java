import java.io.BufferedReader;
import java.io.InputStreamReader;
import org.apache.maven.artifact.versioning.ComparableVersion;

/** Reads pairs of versions, separated by a tab, and prints the order that Maven gives to each. */
public class MavenOrder {
  public static void main(String[] args) throws Exception {
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      String[] pair = line.split("\t", -1);
      System.out.println(Integer.signum(new ComparableVersion(pair[0]).compareTo(new ComparableVersion(pair[1]))));
    }
  }
}
