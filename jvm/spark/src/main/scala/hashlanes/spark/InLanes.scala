package hashlanes.spark

import scala.collection.mutable

import hashlanes.{Algorithm, Hashlanes}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ExpandExec, ProjectExec, SparkPlan}
import org.apache.spark.sql.execution.aggregate.HashAggregateExec
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{BinaryType, IntegerType, StringType}

/** Takes hashing out of projections and of the keys of aggregations. What it does not understand
  * stays as it is.
  */
object InLanes extends Rule[SparkPlan] {
  val ENABLED = "spark.hashlanes.enabled"

  override def apply(plan: SparkPlan): SparkPlan = {
    val enabled = SQLConf.get.getConfString(ENABLED, "true").trim.equalsIgnoreCase("true")
    if (enabled && Hashlanes.isNative) plan.transformUp(replaced) else plan
  }

  private val replaced: PartialFunction[SparkPlan, SparkPlan] = {
    case ProjectExec(list, child) if isReplaced(list, child) => projection(list, child)
    case keyed: HashAggregateExec if isReplaced(keyed.groupingExpressions, keyed.child) =>
      val below = new Below(keyed.child)
      val above = keyed.copy(groupingExpressions = keyed.groupingExpressions.map(below.named))
      above.copy(child = below.hashed(above))
    // Aggregations with several different `DISTINCT` stand on it.
    case expand: ExpandExec if isReplaced(expand.projections.flatten, expand.child) =>
      val below = new Below(expand.child)
      val above = expand.copy(projections = expand.projections.map(_.map(below.taken)))
      above.copy(child = below.hashed(above))
  }

  /** A projection that takes the digests from the operator below it. */
  def projection(list: Seq[NamedExpression], child: SparkPlan): SparkPlan = {
    val below = new Below(child)
    val above = ProjectExec(list.map(below.named), child)
    if (below.isEmpty) above else above.copy(child = below.hashed(above))
  }

  private def isReplaced(list: Seq[Expression], child: SparkPlan): Boolean =
    list.exists(Hash.all(_).nonEmpty) && list.forall { expression =>
      expression.deterministic && expression.references.subsetOf(child.outputSet) &&
      !expression.exists(_.isInstanceOf[PlanExpression[_]])
    }
}

/** Hashes that are taken out of an operator, to be computed below it. */
private class Below(child: SparkPlan) {
  private val digests = mutable.LinkedHashMap[Expression, Alias]()

  def isEmpty: Boolean = digests.isEmpty

  /** An expression with columns in place of its hashes. */
  def taken(expression: Expression): Expression = {
    val hashes = Hash.all(expression)
    expression.transformDown {
      case hash if hashes.exists(_ eq hash) =>
        digests.getOrElseUpdate(hash.canonicalized, Alias(hash, "digest")()).toAttribute
    }
  }

  /** The same, which keeps the name and the identifier, to which others refer. */
  def named(expression: NamedExpression): NamedExpression =
    taken(expression).asInstanceOf[NamedExpression]

  /** Computes the hashes. A projection below computes the values, unless they are columns. */
  def hashed(above: SparkPlan): SparkPlan = {
    val values = mutable.LinkedHashMap[Expression, NamedExpression]()
    val columns = digests.values.map { digest =>
      val value = Hash.of(digest.child).get.value
      val column = values.getOrElseUpdate(
        value.canonicalized,
        value match {
          case attribute: Attribute => attribute
          case other => Alias(other, "value")()
        })
      val cast =
        if (value.dataType == BinaryType) column.toAttribute
        else Cast(column.toAttribute, BinaryType)
      val hash = digest.child.withNewChildren(cast +: digest.child.children.tail)
      Alias(hash, digest.name)(digest.exprId)
    }.toSeq
    val needed = AttributeSet(above.references.toSeq ++ values.values.collect {
      case attribute: Attribute => attribute
    })
    val (passed, other) = child.output.partition(needed.contains)
    val computed = values.values.collect { case alias: Alias => alias }.toSeq
    // Columns that are not needed cost only rows something.
    val narrowed = computed.nonEmpty || (other.nonEmpty && !child.supportsColumnar)
    HashlanesExec(columns, if (narrowed) InLanes.projection(passed ++ computed, child) else child)
  }
}

/** A hash in an expression: its function, and the value that is hashed. */
case class Hash(algorithm: Algorithm, value: Expression)

object Hash {
  /** The hash that an expression is. */
  def of(expression: Expression): Option[Hash] = expression match {
    case _ if expression.foldable => None
    case Md5(value) => Some(Hash(Algorithm.MD5, bytes(value)))
    case Sha1(value) => Some(Hash(Algorithm.SHA1, bytes(value)))
    case Sha2(value, Literal(bits: Int, IntegerType)) =>
      val algorithm = bits match {
        case 0 | 256 => Some(Algorithm.SHA256)
        case 224 => Some(Algorithm.SHA224)
        case 384 => Some(Algorithm.SHA384)
        case 512 => Some(Algorithm.SHA512)
        case _ => None
      }
      algorithm.map(Hash(_, bytes(value)))
    case digest: HashlanesDigest => digest.algorithm.map(Hash(_, bytes(digest.left)))
    case _ => None
  }

  /** A string's bytes are those of its UTF-8. */
  private def bytes(value: Expression): Expression = value match {
    case cast: Cast if cast.dataType == BinaryType && cast.child.dataType == StringType =>
      cast.child
    case _ => value
  }

  /** The hashes in an expression that are computed for every row. */
  def all(expression: Expression): Seq[Expression] =
    if (of(expression).isDefined) Seq(expression)
    else
      expression match {
        // These evaluate all their children. Others, such as `if`, may not.
        case _: Alias | _: Cast | _: Concat | _: Upper | _: Lower | _: Unhex | _: Substring |
            _: EqualTo | _: Not | _: IsNull | _: IsNotNull | _: CreateNamedStruct =>
          expression.children.flatMap(all)
        case _ => Nil
      }
}
