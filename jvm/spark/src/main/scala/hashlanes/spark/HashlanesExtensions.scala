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
  * [[HashlanesExec]], and there are functions `hashlanes_digest(x, 'blake3')` and
  * `hashlanes_digest_rows(x, y, 'blake3')`. The setting `spark.hashlanes.enabled=false` leaves
  * plans as they are.
  */
class HashlanesExtensions extends (SparkSessionExtensions => Unit) {
  override def apply(extensions: SparkSessionExtensions): Unit = {
    // Before the stages of an adaptive plan, so that `explain` shows it, and in other plans.
    extensions.injectQueryStagePrepRule(_ => InLanes)
    extensions.injectColumnar(_ => new ColumnarRule {
      override def preColumnarTransitions: Rule[SparkPlan] = InLanes
    })
    val digits = "by the hash function with this name, such as 'blake3', as a string of " +
      "hexadecimal digits."
    register(
      extensions,
      HashlanesDigest.NAME,
      s"_FUNC_(expr, name) - Returns the digest of a string or binary value $digits",
      { case Seq(value, name) => HashlanesDigest(value, name) })
    register(
      extensions,
      HashlanesDigest.OF_ROWS,
      s"_FUNC_(expr, .., name) - Returns one digest of several values of any types $digits",
      { case values :+ name if values.nonEmpty => HashlanesDigest(RowFrame.of(values), name) })
  }

  private def register(
      extensions: SparkSessionExtensions,
      name: String,
      usage: String,
      build: PartialFunction[Seq[Expression], Expression]): Unit = {
    val info = new ExpressionInfo(classOf[HashlanesDigest].getName, null, name, usage, "")
    val wrong: PartialFunction[Seq[Expression], Expression] = { case arguments =>
      throw new IllegalArgumentException(
        s"$name takes a name after its values, and was given ${arguments.length} arguments")
    }
    extensions.injectFunction((FunctionIdentifier(name), info, build.orElse(wrong)))
  }
}
