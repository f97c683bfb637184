package hashlanes.spark

import org.apache.spark.sql.{SparkSession, SparkSessionExtensions}
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}

/** Makes Spark hash many rows at a time:
  * `spark.sql.extensions=hashlanes.spark.HashlanesExtensions`.
  *
  * Projections and keys of aggregations with `md5`, `sha1` and `sha2` become a
  * [[HashlanesExec]], and there is a function `hashlanes_digest(x, 'blake3')`. The setting
  * `spark.hashlanes.enabled=false` leaves plans as they are.
  */
class HashlanesExtensions extends (SparkSessionExtensions => Unit) {
  override def apply(extensions: SparkSessionExtensions): Unit = {
    // Before the stages of an adaptive plan, so that `explain` shows it, and in other plans.
    extensions.injectQueryStagePrepRule(_ => InLanes)
    extensions.injectColumnar(_ => new ColumnarRule {
      override def preColumnarTransitions: Rule[SparkPlan] = InLanes
    })
    val digest = classOf[HashlanesDigest].getName
    val usage = "_FUNC_(expr, name) - Returns the digest of a string or binary value by the hash " +
      "function with this name, such as 'blake3', as a string of hexadecimal digits."
    val info = new ExpressionInfo(digest, null, HashlanesDigest.NAME, usage, "")
    extensions.injectFunction((FunctionIdentifier(HashlanesDigest.NAME), info, build))
  }

  private def build(arguments: Seq[Expression]): Expression = arguments match {
    case Seq(value, name) => HashlanesDigest(value, name)
    case _ =>
      throw new IllegalArgumentException(
        s"${HashlanesDigest.NAME} takes a value and a name, not ${arguments.length} arguments")
  }
}
