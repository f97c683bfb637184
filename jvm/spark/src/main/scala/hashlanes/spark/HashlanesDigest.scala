package hashlanes.spark

import hashlanes.{Algorithm, Digests}
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckFailure
import org.apache.spark.sql.catalyst.expressions.{BinaryExpression, Expression}
import org.apache.spark.sql.catalyst.expressions.ImplicitCastInputTypes
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.types.{BinaryType, DataType, StringType}
import org.apache.spark.unsafe.types.UTF8String

/** The digest of a value by the function with a name. It hashes a row alone where the plan has no
  * [[HashlanesExec]].
  */
case class HashlanesDigest(left: Expression, right: Expression)
    extends BinaryExpression
    with ImplicitCastInputTypes
    with CodegenFallback {

  // The type that it overrides is Spark's own.
  override def inputTypes: Seq[DataType] = Seq(BinaryType, StringType)

  override def dataType: DataType = StringType

  override def nullable: Boolean = true

  override def prettyName: String =
    if (left.isInstanceOf[RowFrame]) HashlanesDigest.OF_ROWS else HashlanesDigest.NAME

  override def sql: String = left match {
    case frame: RowFrame => (frame.values :+ right).map(_.sql).mkString(s"$prettyName(", ", ", ")")
    case _ => super.sql
  }

  override def checkInputDataTypes(): TypeCheckResult = {
    val types = super.checkInputDataTypes()
    if (types.isFailure) types
    else if (!right.foldable) TypeCheckFailure("the name of the function must be a constant")
    else
      try {
        algorithm
        types
      } catch {
        case error: IllegalArgumentException => TypeCheckFailure(error.getMessage)
      }
  }

  /** None if the name is null. */
  @transient lazy val algorithm: Option[Algorithm] =
    Option(right.eval()).map(name => Algorithm.of(name.toString))

  override protected def nullSafeEval(value: Any, name: Any): Any = {
    val digests = Digests.many(algorithm.get, Array(value.asInstanceOf[Array[Byte]]))
    UTF8String.fromBytes(digests.hexDigits())
  }

  override protected def withNewChildrenInternal(left: Expression, right: Expression): Expression =
    copy(left, right)
}

object HashlanesDigest {
  val NAME = "hashlanes_digest"
  val OF_ROWS = "hashlanes_digest_rows"
}
